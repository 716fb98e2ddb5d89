#include "run.h"

int main(int argc, char **argv)
{
    static struct options opt;
    bool done;
    int rc = options_parse(&opt, argc, argv, &done);

    if (rc == EXIT_OK && !done)
        rc = run(&opt);
    options_free(&opt);
    return rc;
}
