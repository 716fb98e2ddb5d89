# SPDX-License-Identifier: BSD-2-Clause
# ibagent-static: one file to copy to a device, with all of libibverbs' providers. Where everything has a static form:
# static_libs.c stands in for three libraries that Debian has as shared ones only, or that need such. Not with sanitizers, which
# have none.
include(IbproofStatic)
set(archives ${IBVERBS_STATIC_LIBRARIES} rdmacm json-c z)
list(REMOVE_ITEM archives pthread) # in libc
if(SECCOMP_FOUND)
  list(APPEND archives seccomp)
endif()
ibproof_static_libraries(static_ok ${archives})
if(NOT static_ok OR CMAKE_C_FLAGS MATCHES "-fsanitize|-fprofile")
  return()
endif()

set(parts ibcserver ibcagent ibctargets ibcwire ibcscenario ibcverbs ibsystem iba-static)
# once, for the program and for its test
add_library(ibcstaticlibs OBJECT static_libs.c)
target_include_directories(ibcstaticlibs PRIVATE ${CJSON_INCLUDE_DIRS})
target_compile_definitions(ibcstaticlibs PRIVATE _GNU_SOURCE)
add_executable(ibagent-static main.c $<TARGET_OBJECTS:ibcstaticlibs> ${CMAKE_SOURCE_DIR}/dissect/system/static_crc.c verbs.c $<TARGET_OBJECTS:ibcoptions>)
# Archives by file, so that what they link otherwise, shared, stays away.
foreach(part ${parts})
  target_link_libraries(ibagent-static PRIVATE $<TARGET_FILE:${part}>)
endforeach()
add_dependencies(ibagent-static ${parts})
target_include_directories(ibagent-static PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/.. ${CMAKE_SOURCE_DIR}/core ${CMAKE_SOURCE_DIR}/dissect
                           ${CJSON_INCLUDE_DIRS} ${ISAL_INCLUDE_DIRS})
target_compile_definitions(ibagent-static PRIVATE _GNU_SOURCE IBAGENT_VERBS RDMA_STATIC_PROVIDERS=all)
target_link_libraries(ibagent-static PRIVATE rdmacm ${IBVERBS_STATIC_LIBRARIES} json-c $<$<BOOL:${SECCOMP_FOUND}>:seccomp> z m)
# The archives need each other. Functions such as getaddrinfo() ask the shared libraries of the machine, which GNU's linker warns
# of. The warnings stay: its option against them (--no-warnings) lets undefined functions pass, too, as calls of address 0.
target_link_options(ibagent-static PRIVATE -static -Wl,--start-group)

ibproof_test(NAME conformance-agent-static_libs COUNT 6 SOURCES test/static_libs.c LIBS json-c ${CMAKE_DL_LIBS})
if(TARGET t-conformance-agent-static_libs)
  target_sources(t-conformance-agent-static_libs PRIVATE $<TARGET_OBJECTS:ibcstaticlibs>)
endif()
