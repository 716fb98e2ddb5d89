# ibc_embed(NAME FILE...): NAME.c in the build folder, each FILE in it as bytes: page.css becomes ibc_page_css and
# ibc_page_css_bytes.
function(ibc_embed name)
  set(text "/* Made of ${ARGN} by embed.cmake. */\n#include \"report/markup.h\"\n")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    file(READ ${CMAKE_CURRENT_SOURCE_DIR}/${file} hex HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    string(MAKE_C_IDENTIFIER ibc_${file} id)
    string(APPEND text "const unsigned char ${id}[] = {${bytes}};\nconst size_t ${id}_bytes = sizeof ${id};\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.c CONTENT "${text}" @ONLY)
endfunction()
