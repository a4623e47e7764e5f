# SPDX-License-Identifier: GPL-2.0-or-later
include(GNUInstallDirs)
install(TARGETS rdmadoctor rdmadoctord rdmadoctor-notify RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY rules DESTINATION ${CMAKE_INSTALL_DATADIR}/rdmadoctor FILES_MATCHING PATTERN "*.toml")
