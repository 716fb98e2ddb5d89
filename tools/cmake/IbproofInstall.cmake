# SPDX-License-Identifier: BSD-2-Clause
# The files that `cmake --install` installs, and their folders. Included last, when every target exists.
#   bin/            the programs that people run
#   lib/libiba.a    the model; include/iba/ its headers, folders kept (<wire/...> with the flags of libiba.pc). With IBPROOF_SHARED
#                   lib/libiba.so, too
#   lib/pkgconfig, lib/cmake  how other programs find it: pkg-config libiba, find_package(libiba) and its target libiba::iba
#   lib/ibproof/libibfabric-umad.so  what programs preload to reach ibfabric
#   share/man/man1, man7  the manual pages of the programs that are built
#   share/bash-completion, zsh, fish  completions (tools/completions.d)
#   share/ibproof   the scenarios that ibconform plays by default; files for Wireshark
set_target_properties(iba-static PROPERTIES EXPORT_NAME iba-static)
install(TARGETS iba-static EXPORT libiba ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
set(installed iba-static)
set(iba_linked iba-static)
set(iba_requires "Requires: libisal") # a static library: programs that link libiba.a also link libisal
if(IBPROOF_SHARED)
  set_target_properties(iba-so PROPERTIES EXPORT_NAME iba-shared)
  install(TARGETS iba-so EXPORT libiba LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  list(APPEND installed iba-so)
  set(iba_linked iba-shared)
  set(iba_requires "Requires.private: libisal")
endif()

if("ibagent" IN_LIST IBPROOF_PROGRAMS)
  list(APPEND IBPROOF_PROGRAMS ibagent-static)
endif()
foreach(program ibdissect ibconform ibagent ibagent-static ibfabric)
  if(TARGET ${program} AND program IN_LIST IBPROOF_PROGRAMS)
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    list(APPEND installed ${program})
    file(GLOB manual CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/*/man/${program}.1)
    install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  elseif(TARGET ${program})
    set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endif()
endforeach()

if(TARGET ibfabric-umad AND "ibfabric" IN_LIST IBPROOF_PROGRAMS)
  install(TARGETS ibfabric-umad LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ibproof)
  list(APPEND installed ibfabric-umad)
endif()

# This target builds only the installed files: half of the whole build, which also has tools and fuzz targets.
if(TARGET completions)
  list(APPEND installed completions)
endif()
add_custom_target(installed DEPENDS ${installed})

# Headers that say "Not for users of libiba" are not installed. The others must compile as C++, too: the test core-cplusplus compiles
# one file that includes all of them.
file(GLOB_RECURSE headers RELATIVE ${CMAKE_SOURCE_DIR}/core CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/*.h)
list(FILTER headers EXCLUDE REGEX "(^|/)test/")
set(all_headers "/* SPDX-License-Identifier: BSD-2-Clause */\n")
foreach(header ${headers})
  file(READ core/${header} text)
  string(REGEX REPLACE "[ \n*]+" " " text "${text}")
  if(NOT text MATCHES "[Nn]ot for users of libiba")
    cmake_path(GET header PARENT_PATH folder)
    install(FILES core/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/iba/${folder})
    string(APPEND all_headers "#include <${header}>\n")
  endif()
endforeach()
if(IBA_TESTS)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/all_headers.cpp CONTENT "${all_headers}" @ONLY)
  find_program(IBA_CXX NAMES clang++ clang++-14 clang++-19 REQUIRED)
  add_test(NAME core-cplusplus COMMAND ${IBA_CXX} -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I${CMAKE_SOURCE_DIR}/core
                                       ${CMAKE_BINARY_DIR}/all_headers.cpp)
  if(TARGET iba-so)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    add_test(NAME core-symbols COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/core/test/symbols.py ${CMAKE_NM} $<TARGET_FILE:iba-so>
                                       $<TARGET_FILE:iba-static> ${CMAKE_BINARY_DIR}/all_headers.cpp)
  endif()
endif()

if("ibconform" IN_LIST IBPROOF_PROGRAMS)
  install(DIRECTORY conformance/scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/ibproof FILES_MATCHING PATTERN "*.ibt")
  install(FILES conformance/man/ibproof-scenarios.7 DESTINATION ${CMAKE_INSTALL_MANDIR}/man7)
endif()

if("ibdissect" IN_LIST IBPROOF_PROGRAMS)
  file(GLOB manuals CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/dissect/man/*.7)
  install(FILES ${manuals} DESTINATION ${CMAKE_INSTALL_MANDIR}/man7)
  # For Wireshark: findings as fields, colour rules, a live interface
  install(DIRECTORY dissect/wireshark DESTINATION ${CMAKE_INSTALL_DATADIR}/ibproof USE_SOURCE_PERMISSIONS PATTERN test EXCLUDE)
endif()

# The file libiba.pc derives its prefix from its own folder, so it is right also after `cmake --install --prefix` and in packages staged
# elsewhere.
file(RELATIVE_PATH pc_to_prefix /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(${CMAKE_SOURCE_DIR}/tools/cmake/libiba.pc.in ${CMAKE_BINARY_DIR}/libiba.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/libiba.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# find_package(libiba)
include(CMakePackageConfigHelpers)
set(iba_cmake ${CMAKE_INSTALL_LIBDIR}/cmake/libiba)
configure_package_config_file(${CMAKE_SOURCE_DIR}/tools/cmake/libiba-config.cmake.in ${CMAKE_BINARY_DIR}/libiba-config.cmake
                              INSTALL_DESTINATION ${iba_cmake})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/libiba-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/libiba-config.cmake ${CMAKE_BINARY_DIR}/libiba-config-version.cmake DESTINATION ${iba_cmake})
install(EXPORT libiba NAMESPACE libiba:: FILE libiba-targets.cmake DESTINATION ${iba_cmake})
