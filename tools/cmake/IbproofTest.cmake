# SPDX-License-Identifier: BSD-2-Clause
# ibproof_test(NAME n COUNT k [SLOW] SOURCES ... LIBS ... [ARGS ...] [TIMEOUT s])
# A Criterion program with k cases, registered through tools/lib/run-test, which says what makes it fail. SLOW: it takes more
# than a second of processor time in the preset dev, so `tools/test quick` leaves it out (label "slow"), and `tools/test` runs it
# with sanitizers alone, which miss nothing that the same inputs show without them (label "sanitized").
if(IBA_TESTS)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(CRITERION REQUIRED IMPORTED_TARGET criterion)
endif()
if(IBA_TESTS OR IBA_FUZZ STREQUAL "libfuzzer")
  # It links some hundred tests in a third of the time of GNU ld.
  find_program(IBA_LLD ld.lld)
  mark_as_advanced(IBA_LLD)
endif()

# ibproof_quick_link(target): of a program that is not installed
function(ibproof_quick_link target)
  if(IBA_LLD)
    target_link_options(${target} PRIVATE -fuse-ld=lld)
  endif()
endfunction()

# ibproof_shared(target): the program links the model as a shared library (core/CMakeLists.txt). Such a program is not installed.
function(ibproof_shared exe)
  if(IBA_SHARED_TESTS)
    set_target_properties(${exe} PROPERTIES IBA_SHARED ON LINK_DEPENDS_NO_SHARED ON)
  endif()
endfunction()

# ibproof_test_options(target LIBS...): of a test, and of the sources that tests share
function(ibproof_test_options target)
  # Checks of each pointer take a third of the time that it takes to compile a test with sanitizers. In tests the address sanitizer notices
  # most of what they notice; in what is tested they are on.
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1> $<$<CONFIG:RelWithDebInfo>:-fno-sanitize=null,alignment,object-size,pointer-overflow>)
  target_link_libraries(${target} PRIVATE ${ARGN} PkgConfig::CRITERION)
  ibproof_quick_link(${target})
  target_compile_definitions(${target} PRIVATE IBPROOF_SOURCE_DIR="${CMAKE_SOURCE_DIR}" _GNU_SOURCE)
  # Criterion's classic macros expand to variadic calls that pedantic mode refuses.
  target_compile_options(${target} PRIVATE -Wno-variadic-macros -Wno-gnu-zero-variadic-macro-arguments)
endfunction()

# ibproof_shared_source(result SOURCE LIBS...): the objects of a source file that several tests of a folder share: it is
# compiled once, as the first of them wants it.
function(ibproof_shared_source result source)
  file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  string(REGEX REPLACE "[^a-z0-9_]" "-" name ${name})
  if(NOT TARGET shared-${name})
    add_library(shared-${name} OBJECT ${source})
    ibproof_test_options(shared-${name} ${ARGN})
    ibproof_shared(shared-${name})
  endif()
  set(${result} $<TARGET_OBJECTS:shared-${name}> PARENT_SCOPE)
endfunction()

# ibproof_criterion(target [SLOW] SOURCES ... LIBS ...): build the program, register nothing. The first source is the test's own.
function(ibproof_criterion exe)
  cmake_parse_arguments(T "SLOW" "" "SOURCES;LIBS" ${ARGN})
  list(POP_FRONT T_SOURCES own)
  add_executable(${exe} ${own})
  if(NOT T_SLOW)
    # With sanitizers it takes more time to compile a test than to run it, and with -O1 three times as much as without.
    set_source_files_properties(${own} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:RelWithDebInfo>:-O0>)
  endif()
  foreach(source ${T_SOURCES})
    ibproof_shared_source(objects ${source} ${T_LIBS})
    target_sources(${exe} PRIVATE ${objects})
  endforeach()
  if(NOT TARGET ibproof-no-certificates)
    add_library(ibproof-no-certificates OBJECT ${CMAKE_SOURCE_DIR}/core/test/certificates.c)
    set_target_properties(ibproof-no-certificates PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  target_sources(${exe} PRIVATE $<TARGET_OBJECTS:ibproof-no-certificates>)
  target_link_options(${exe} PRIVATE -Wl,--export-dynamic-symbol=mbedtls_x509_crt_parse_file)
  ibproof_test_options(${exe} ${T_LIBS})
  set_target_properties(${exe} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test)
  ibproof_shared(${exe})
endfunction()

function(ibproof_test)
  cmake_parse_arguments(T "SLOW" "NAME;COUNT;TIMEOUT" "SOURCES;LIBS;ARGS" ${ARGN})
  if(NOT T_COUNT)
    message(FATAL_ERROR "${T_NAME}: say how many cases the program has (COUNT)")
  endif()
  if(NOT IBA_TESTS)
    return()
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  if(T_SLOW)
    set(slow SLOW)
  endif()
  ibproof_criterion(t-${T_NAME} ${slow} SOURCES ${T_SOURCES} LIBS ${T_LIBS})
  add_test(NAME ${T_NAME}
           COMMAND ${CMAKE_SOURCE_DIR}/tools/lib/run-test ${T_COUNT} $<TARGET_FILE:t-${T_NAME}> ${T_ARGS})
  set_tests_properties(${T_NAME} PROPERTIES TIMEOUT ${T_TIMEOUT} ENVIRONMENT "IBPROOF_BIN=${CMAKE_BINARY_DIR}/bin")
  if(T_SLOW)
    set_tests_properties(${T_NAME} PROPERTIES LABELS "slow;sanitized" COST 10) # short tests fill the processors at the end
  endif()
endfunction()

# ibproof_planted(program function SOURCE): a copy of the program for tests, whose `function` is that of SOURCE, which has an
# exploit in it (dissect/system/test/exploit.h).
function(ibproof_planted program function source)
  if(NOT IBA_TESTS)
    return()
  endif()
  add_executable(${program}-planted $<TARGET_OBJECTS:${program}> ${source})
  get_target_property(libs ${program} LINK_LIBRARIES)
  target_link_libraries(${program}-planted PRIVATE ${libs})
  target_link_options(${program}-planted PRIVATE -Wl,--wrap=${function})
  target_compile_definitions(${program}-planted PRIVATE _GNU_SOURCE)
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-Wno-pedantic")
  set_target_properties(${program}-planted PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test)
endfunction()
