/* check as a program by itself, for the tests: [--json] [-v] CAPTURE... */
#include <string.h>
#include "check.h"

int main(int argc, char **argv)
{
    struct ibc_check_options o = {0};
    int i = 1;

    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        o.json |= strcmp(argv[i], "--json") == 0;
        o.verbose |= strcmp(argv[i], "-v") == 0;
    }
    if (i >= argc)
        return IBC_CHECK_UNREADABLE;
    o.file = (const char *const *)argv + i;
    o.n_file = (size_t)(argc - i);
    return ibc_check(&o, stdout, stderr);
}
