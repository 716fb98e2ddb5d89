/* SPDX-License-Identifier: BSD-2-Clause */
#include "elsewhere.h"
#include <stddef.h>
#include <string.h>

#define DUMPCAP "capture with dumpcap, and pipe it: dumpcap -w - ... | ibdissect -"
static const struct {
    char letter;
    const char *instead;
} rows[] = {
    {'a', DUMPCAP},
    {'b', DUMPCAP},
    {'B', DUMPCAP},
    {'s', DUMPCAP},
    {'y', DUMPCAP},
    {'I', DUMPCAP},
    {'p', DUMPCAP},
    {'D', "dumpcap -D lists the interfaces; -i NAME captures from one"},
    {'L', "dumpcap -L lists the link types of an interface"},
    {'A', "-x prints the bytes"},
    {'F', "-w writes pcapng; editcap -F converts it"},
    {'H', "no name is looked up"},
    {'N', "no name is looked up"},
    {'j', "-e FIELD chooses what -T json and jsonl print"},
    {'J', "-e FIELD chooses what -T json and jsonl print"},
    {'M', "memory is bounded, so nothing needs to be reset"},
    {'O', "-V prints all headers, and -T fields -e FIELD only some"},
    {'Q', "-q leaves packets out"},
    {'R', "-Y is the filter; with -2 fields of later packets are known"},
    {'S', "-T text prints no separators"},
    {'u', "-t r, a, ad, e, u, ud and d choose the time"},
    {'C', "there are no profiles; -o KEY:VALUE sets what there is"},
    {'K', "there is no decryption"},
    {'W', DUMPCAP},
    {'Z', "--user NAME is who the program runs as with -i"},
    {'X', "there are no scripts; pipe -T jsonl into one"},
};

const char *elsewhere_of(int letter)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].letter == letter)
            return rows[i].instead;
    return NULL;
}

static const struct {
    const char *name, *instead;
} longs[] = {
    {"merge", "the command is: ibdissect merge SUMMARY..."},
    {"print", "-P prints packets that -w writes"},
    {"time-stamp-type", DUMPCAP},
    {"list-time-stamp-types", "dumpcap --list-time-stamp-types has them"},
    {"list-interfaces", "dumpcap -D lists the interfaces; -i NAME captures from one"},
    {"snapshot-length", DUMPCAP},
    {"buffer-size", DUMPCAP},
    {"linktype", DUMPCAP},
    {"autostop", DUMPCAP},
    {"ring-buffer", DUMPCAP},
    {"no-promiscuous-mode", DUMPCAP},
    {"read-filter", "-Y is the filter; with -2 fields of later packets are known"},
    {"display-filter", "-Y is the filter"},
    {"compress", "-w - | gzip >FILE.pcapng.gz; gzipped captures are read"},
    {"capture-comment", "editcap --capture-comment adds one"},
    {"export-objects", "-T fields -e infiniband.payload prints payloads"},
    {"enable-protocol", "-d chooses how packets are decoded"},
    {"disable-protocol", "-d chooses how packets are decoded"},
    {"enable-heuristic", "-d chooses how packets are decoded"},
    {"disable-heuristic", "-d chooses how packets are decoded"},
    {"hexdump", "-x prints the bytes"},
};

const char *elsewhere_called(const char *name)
{
    for (size_t i = 0; i < sizeof longs / sizeof *longs; i++)
        if (strcmp(longs[i].name, name) == 0)
            return longs[i].instead;
    return NULL;
}
