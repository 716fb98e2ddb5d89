# SPDX-License-Identifier: BSD-2-Clause
# ibdissect-static: one file to copy to the machine that has the captures. It is built where all libraries have a static form, and
# without sanitizers, which have none.
include(IbproofStatic)
set(libraries pcap z pcre2-8)
if(SECCOMP_FOUND)
  list(APPEND libraries seccomp)
endif()
ibproof_static_libraries(static_ok ${libraries})
if(NOT static_ok OR BUILD_SHARED_LIBS OR "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_DEBUG}" MATCHES "-fsanitize|-fprofile" OR IBA_FUZZ)
  return()
endif()

set(parts ibrun ibjobs ibfinding iboutput ibfilter ibpage ibsummary ibstats ibtrack ibjudge ibfield ibinput ibsystem iba-static)
add_executable(ibdissect-static main.c static_libs.c system/static_crc.c)
target_compile_definitions(ibdissect-static PRIVATE _GNU_SOURCE)
target_include_directories(ibdissect-static PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/core ${ISAL_INCLUDE_DIRS})
# Archives are named by file, since by name the linker takes shared libraries. The archives need each other, so they are a group.
target_link_options(ibdissect-static PRIVATE -static -Wl,--start-group)
foreach(part IN LISTS parts)
  target_link_libraries(ibdissect-static PRIVATE $<TARGET_FILE:${part}>)
endforeach()
add_dependencies(ibdissect-static ${parts})
foreach(library IN LISTS libraries)
  target_link_libraries(ibdissect-static PRIVATE ${STATIC_${library}})
endforeach()
target_link_libraries(ibdissect-static PRIVATE pthread m -Wl,--end-group)
