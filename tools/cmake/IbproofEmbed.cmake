# SPDX-License-Identifier: BSD-2-Clause
# ibproof_embed(NAME PREFIX FILE...): NAME.c in the build folder, each FILE in it as bytes: with prefix `ibc`, page.css
# becomes ibc_page_css and ibc_page_css_bytes. Code that uses these arrays declares them.
function(ibproof_embed name prefix)
  set(text "/* Made of ${ARGN} by IbproofEmbed.cmake. */\n#include <stddef.h>\n")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    file(READ ${CMAKE_CURRENT_SOURCE_DIR}/${file} hex HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    get_filename_component(id ${file} NAME)
    string(MAKE_C_IDENTIFIER ${prefix}_${id} id)
    string(APPEND text "extern const unsigned char ${id}[];\nextern const size_t ${id}_bytes;\n"
                       "const unsigned char ${id}[] = {${bytes}};\nconst size_t ${id}_bytes = sizeof ${id};\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.c CONTENT "${text}" @ONLY)
endfunction()
