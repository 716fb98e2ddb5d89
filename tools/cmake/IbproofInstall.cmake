# SPDX-License-Identifier: BSD-2-Clause
# The files that `cmake --install` installs, and their folders. Included last, when every target exists.
#   bin/            the programs that people run
#   lib/libiba.a    the model; include/iba/ its headers, folders kept (<wire/...> with the flags of libiba.pc)
#   share/man/man1, man7  the manual pages
#   share/ibproof   the scenarios that ibconform plays by default
install(TARGETS iba-static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

foreach(program ibdissect ibconform ibagent ibagent-static ibfabric)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

file(GLOB_RECURSE headers RELATIVE ${CMAKE_SOURCE_DIR}/core CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/*.h)
list(FILTER headers EXCLUDE REGEX "(^|/)test/")
foreach(header ${headers})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES core/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/iba/${folder})
endforeach()

if(TARGET ibconform)
  install(DIRECTORY conformance/scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/ibproof FILES_MATCHING PATTERN "*.ibt")
endif()

file(GLOB manuals CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/*/man/*.1)
install(FILES ${manuals} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
file(GLOB manuals CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/*/man/*.7)
install(FILES ${manuals} DESTINATION ${CMAKE_INSTALL_MANDIR}/man7)

# The file finds its prefix from where it lies, so `cmake --install --prefix` and packages staged elsewhere stay right.
file(RELATIVE_PATH pc_to_prefix /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(${CMAKE_SOURCE_DIR}/tools/cmake/libiba.pc.in ${CMAKE_BINARY_DIR}/libiba.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/libiba.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
