# SPDX-License-Identifier: GPL-2.0-or-later
include(GNUInstallDirs)
if(TARGET rdmadoctor)
install(TARGETS rdmadoctor RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY rules DESTINATION ${CMAKE_INSTALL_DATADIR}/rdmadoctor FILES_MATCHING PATTERN "*.toml")
