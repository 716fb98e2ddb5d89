/* SPDX-License-Identifier: BSD-2-Clause */
/* The editors' files contain every word of the language. */
#include "load.h"
#include "scenario/bind.h"
#include "scenario/field.h"

enum { ROOM = 64 * 1024 };

static bool word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static bool has_word(const char *text, const char *word)
{
    const size_t n = strlen(word);

    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        if ((at == text || !word_byte(at[-1])) && !word_byte(at[n]))
            return true;
    return false;
}

static void all_there(const char *file, const char *text, const char *const *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (word_byte(name[i][0]))
            cr_expect(has_word(text, name[i]), "%s lacks '%s'", file, name[i]);
}

/* Returns whether the key has no name that a file could contain: fields of headers have names of their own, and a
 * positional value has none. */
static bool unwritten(unsigned key)
{
    return key == IBC_K_FIELD || key == IBC_K_value || key == IBC_K_name || key == IBC_K_delta;
}

static void knows_the_language(const char *file)
{
    static char text[ROOM];
    char path[600];
    FILE *f;

    snprintf(path, sizeof path, "%s/conformance/syntax/%s", IBPROOF_SOURCE_DIR, file);
    f = fopen(path, "r");
    cr_assert_not_null(f, "%s", path);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    all_there(file, text, ibc_step_names, IBC_S_object);
    all_there(file, text, ibc_object_names, IBC_O_COUNT);
    all_there(file, text, ibc_capability_names, IBC_CAP_COUNT);
    all_there(file, text, ibc_role_names, IBC_ROLE_COUNT);
    all_there(file, text, ibc_class_names, IBC_CLASS_COUNT);
    all_there(file, text, ibc_link_names, IBC_LINK_COUNT);
    all_there(file, text, ibc_attr_names, IBC_A_COUNT);
    all_there(file, text, ibc_then_names, IBC_THEN_COUNT);
    all_there(file, text, ibc_party_names, IBC_PARTY_COUNT);
    all_there(file, text, ibc_score_names, IBC_SCORE_COUNT);
    for (unsigned k = 0; k < IBC_K_COUNT; k++)
        if (!unwritten(k))
            all_there(file, text, &ibc_key_names[k], 1);
    for (size_t i = 0; i < ibc_field_name_count; i++)
        all_there(file, text, &ibc_field_names[i].name, 1);
    for (size_t i = 0; i < IBC_HEAD_COUNT; i++) {
        const char *name = ibc_head_names[i];

        all_there(file, text, &name, 1);
    }
    for (size_t i = 0; i < ibc_vocabularies[IBC_VOCAB_SERVICE].n; i++)
        all_there(file, text, &ibc_vocabularies[IBC_VOCAB_SERVICE].row[i].name, 1);
}

Test(syntax, vim_knows_every_word)
{
    knows_the_language("vim/syntax/ibt.vim");
}

Test(syntax, vs_code_knows_every_word)
{
    knows_the_language("vscode/syntaxes/ibt.tmLanguage.json");
}

Test(syntax, the_test_sees_a_missing_word)
{
    cr_expect(has_word("a\\|psn\\|b", "psn"));
    cr_expect(!has_word("epsn psn_x", "psn"));
}
