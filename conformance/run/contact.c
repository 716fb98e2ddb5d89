/* SPDX-License-Identifier: BSD-2-Clause */
/* The verdict of a play during which the agent was lost. The loss alone does not show a fault of the device: the agent
 * may have been ended or stopped, or its network cut. The device failed only if its own system shows it. */
#include <stdio.h>
#include <string.h>
#include "run/play.h"

static const struct {
    bool down;        /* the device went down, which is a failure of the case that caused it */
    bool proved;      /* one play proves the failure, so the case is not played a second time */
    bool gone;        /* neither the agent nor the device answers any more */
    const char *says; /* a sentence about the device */
} rows[IBC_CONTACT_COUNT] = {
    [IBC_CONTACT_SAME] = {false, false, false, "its system was up all the time"},
    [IBC_CONTACT_REBOOT] = {true, false, false, RUN_GONE},
    [IBC_CONTACT_LOG] = {true, true, false, RUN_GONE},
    [IBC_CONTACT_UNKNOWN] = {false, false, false, "it does not say if it was up"},
    [IBC_CONTACT_NONE] = {false, false, true, "it did not come back"},
};

void run_gone(struct run_player *p)
{
    char got[RUN_TEXT];

    p->unwell = p->finding.down = true;
    if (strstr(p->finding.got, RUN_GONE))
        return;
    /* 130 characters suffice for the longest error text of a wire, which has the reason at its end. */
    snprintf(got, sizeof got, "%.130s: %.26s", p->finding.got, RUN_GONE);
    snprintf(p->finding.got, sizeof p->finding.got, "%s", got);
}

static void go_down(struct run_player *p, const struct ibc_step *s, const char *said)
{
    p->died = true;
    if (said[0]) {
        snprintf(p->lost_why, sizeof p->lost_why, "its log: %.*s", (int)sizeof p->lost_why - 10, said);
        (void)run_fail(p, s, NULL, IBC_NO_COMPLAINT, p->lost_why);
        p->unwell = p->proved = true;
        return;
    }
    (void)run_fail(p, s, NULL, p->lost_what, p->lost_why); /* an earlier failure stays the finding */
    run_gone(p);
}

void run_see_contact(struct run_player *p)
{
    const struct ibc_step s = {.line = p->lost_line};
    enum ibc_contact is = IBC_CONTACT_UNKNOWN;
    char said[RUN_TEXT] = "", got[RUN_TEXT];

    if (!p->lost)
        return;
    if (p->t->ops->contact)
        is = p->t->ops->contact(p->t, said, sizeof said);
    if (p->died) /* the agent had reported before its loss that the device went down */
        return;
    if (rows[is].down && !p->unclean) {
        go_down(p, &s, said);
        return;
    }
    p->died = rows[is].gone;
    snprintf(got, sizeof got, "%.125s; %.32s", p->lost_why,
             rows[is].down ? "it went down before the play" : rows[is].says);
    (void)run_note_as(p, p->unclean ? IBC_FOUND_UNCLEAN : IBC_FOUND_OTHERWISE, IBC_IS_ERROR, &s, NULL, p->lost_what,
                      got);
}
