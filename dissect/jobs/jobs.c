/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs/jobs.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "jobs/join.h"

_Static_assert((int)JOBS_MOST <= (int)DEAL_WORKERS, "every worker can get packets");

struct jobs {
    struct options *opt;
    struct capture *capture[MAX_FILES];
    size_t n_capture;
    struct worker *worker[JOBS_MOST];
    unsigned n;
    struct join join;
    struct team team;
};

static bool is_file(const char *path)
{
    struct stat st;

    return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool jobs_can(const struct options *opt)
{
    bool can = opt->jobs > 1 && opt->quiet && opt->n_stat > 0 && opt->n_file > 0 && !opt->filter && !opt->count;

    can = can && !sample_is_one(&opt->sample) && !opt->hold && !opt->iface && !opt->write_path && !opt->report_path &&
          !opt->summary_path && !opt->rows && !opt->metrics_path;
    can = can && opt->view.qp[0].holds == IBA_HOLDS_UNKNOWN && !opt->view.dc;
    for (size_t i = 0; i < opt->n_stat; i++)
        can = can && opt->stat[i].kind->join;
    for (size_t i = 0; can && i < opt->n_file; i++)
        can = is_file(opt->file[i]);
    return can;
}

struct jobs *jobs_open(const struct jobs_config *cfg)
{
    struct jobs *j = calloc(1, sizeof *j);
    struct options *opt = cfg->opt;
    char err[512];

    if (!j)
        return NULL;
    j->opt = opt;
    j->team.seed = cfg->seed;
    j->team.reading = (struct reading){
        .opt = opt, .capture = j->capture, .n_capture = opt->n_file, .progress = cfg->progress, .ctx = cfg->ctx};
    struct reading *r = &j->team.reading;
    bool good = true;

    team_open(&j->team, opt->jobs);
    for (size_t i = 0; good && i < opt->n_file; i++) {
        good = (j->capture[i] = cap_open(opt->file[i], err, sizeof err)) != NULL;
        j->n_capture += good;
    }
    if (good && j->n_capture > 1)
        good = (r->merge = cap_merge_open(j->capture, j->n_capture)) != NULL;
    if (good) {
        r->in_pieces = !r->merge && cap_in_pieces(j->capture[0]);
        return j;
    }
    jobs_close(j);
    return NULL;
}

static bool begin(struct jobs *j)
{
    bool good = true;

    while (good && j->n < j->opt->jobs) {
        struct worker *w = calloc(1, sizeof *w);
        if (!w)
            return false;
        j->worker[j->n] = w;
        good = worker_open(w, &j->team, j->n++);
    }
    return good;
}

bool jobs_run(struct jobs *j)
{
    const struct reading *r = &j->team.reading;

    for (size_t i = 0; i < j->n_capture; i++)
        cap_ahead(j->capture[i]);
    if (!begin(j))
        team_give_up(&j->team);
    for (unsigned i = 0; i < j->n; i++)
        worker_end(j->worker[i]);
    return !j->team.vain && join_all(&j->join, j->opt, j->worker, j->n, j->n_capture, r->several || j->n_capture > 1);
}

uint64_t jobs_read(const struct jobs *j)
{
    return j->team.reading.read;
}

enum iba_severity jobs_worst(const struct jobs *j)
{
    enum iba_severity worst = IBA_SEVERITY_NONE;

    for (unsigned i = 0; i < j->n; i++)
        worst = j->worker[i]->worst > worst ? j->worker[i]->worst : worst;
    return worst;
}

void jobs_close(struct jobs *j)
{
    if (!j)
        return;
    for (unsigned i = 0; i < j->n; i++) {
        if (j->worker[i])
            worker_close(j->worker[i]);
        free(j->worker[i]);
    }
    join_close(&j->join);
    cap_merge_close(j->team.reading.merge);
    for (size_t i = 0; i < j->n_capture; i++)
        cap_close(j->capture[i]);
    team_close(&j->team);
    free(j);
}
