# SPDX-License-Identifier: GPL-2.0-or-later
include(GNUInstallDirs)
install(TARGETS rdmadoctor rdmadoctord rdmadoctor-notify RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY rules DESTINATION ${CMAKE_INSTALL_DATADIR}/rdmadoctor FILES_MATCHING PATTERN "*.toml")
install(FILES README.md CHANGELOG.md docs/alerts.md docs/api.md docs/rules.md docs/troubleshooting.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

# What has its place in the system whatever the prefix is, with programs in /usr/bin: for packages, which ask for it by name.
set(of_system COMPONENT system EXCLUDE_FROM_ALL)
install(FILES
  packaging/systemd/rdmadoctord.socket packaging/systemd/rdmadoctord-control.socket packaging/systemd/rdmadoctord.service
  packaging/systemd/rdmadoctor-probe.service packaging/systemd/rdmadoctor-probe.timer
  packaging/systemd/rdmadoctor-notify.service
  DESTINATION /lib/systemd/system ${of_system})
install(FILES packaging/systemd/rdmadoctor.sysusers DESTINATION /usr/lib/sysusers.d RENAME rdmadoctor.conf ${of_system})
install(FILES packaging/systemd/rdmadoctor.tmpfiles DESTINATION /usr/lib/tmpfiles.d RENAME rdmadoctor.conf ${of_system})
install(FILES configs/rdmadoctor.toml DESTINATION /etc/rdmadoctor ${of_system})
install(DIRECTORY DESTINATION /etc/rdmadoctor/rules.d ${of_system})
