# SPDX-License-Identifier: GPL-2.0-or-later
"""What pluggable modules and cables say of themselves: answers of the subject ethtool.module."""

from .bundle import record


def limits(name, high_alarm, low_alarm, high_warning, low_warning):
    return {f"{name}_high_alarm": high_alarm, f"{name}_low_alarm": low_alarm, f"{name}_high_warning": high_warning,
            f"{name}_low_warning": low_warning}


def lanes(name, values):
    return {f"{name}_{lane}": value for lane, value in enumerate(values, 1)}


def optic(identifier, standard, vendor, part, temperature, powers, hot=75):
    """A module that measures: `powers`, the light received on each lane in mW."""
    values = {"identifier": identifier, "map": standard, "vendor": vendor, "part": part, "copper": 0, "lanes": len(powers),
              "temperature": temperature, "voltage": 3.29}
    values |= lanes("rx_power", powers)
    values |= lanes("tx_power", [round(1.12 + 0.03 * lane, 2) for lane in range(len(powers))])
    values |= lanes("bias", [round(7.1 + 0.1 * lane, 1) for lane in range(len(powers))])
    values |= limits("temperature", hot, -5, hot - 5, 0) | limits("voltage", 3.63, 2.97, 3.46, 3.13)
    values |= limits("rx_power", 3.47, 0.08, 2.19, 0.16) | limits("tx_power", 3.47, 0.13, 2.19, 0.26)
    values |= limits("bias", 13, 4, 12, 5)
    return record(**values)


def osfp(temperature=51.2, powers=(1.31, 1.28, 1.36, 1.3)):
    return optic("OSFP", "cmis", "NVIDIA", "MMS4X00-NS400", temperature, powers)


def qsfp28(temperature=38.6, powers=(0.84, 0.91, 0.88, 0.9)):
    return optic("QSFP28", "sff8636", "FINISAR CORP", "FTLC9551REPM", temperature, powers, hot=70)


def cable(identifier="QSFP28", vendor="Mellanox", part="MCP1600-C003E30N", count=4):
    """Copper: no light, no temperature."""
    return record(identifier=identifier, map="cmis" if identifier == "OSFP" else "sff8636", vendor=vendor, part=part,
                  copper=1, lanes=count)
