# SPDX-License-Identifier: BSD-2-Clause
# For programs that are linked statically.

# ibproof_static_libraries(RESULT LIBRARY...): whether each of them has a static form; STATIC_<library> is its file.
function(ibproof_static_libraries result)
  set(${result} TRUE PARENT_SCOPE)
  foreach(library IN LISTS ARGN)
    find_library(STATIC_${library} NAMES lib${library}.a)
    mark_as_advanced(STATIC_${library})
    if(NOT STATIC_${library})
      set(${result} FALSE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()
