# SPDX-License-Identifier: GPL-2.0-or-later
"""Sends an LLDP frame with a PFC TLV twice a second, as a switch port does every 30 seconds.

    lldp.py IF PFC_MASK"""

import socket
import struct
import sys
import time


def unit(kind: int, value: bytes) -> bytes:
    return struct.pack("!H", kind << 9 | len(value)) + value


def main() -> None:
    interface, mask = sys.argv[1], int(sys.argv[2])
    sender = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    sender.bind((interface, 0))
    source = sender.getsockname()[4]
    frame = b"".join([
        bytes.fromhex("0180c200000e"), source, b"\x88\xcc",
        unit(1, b"\x04" + source), unit(2, b"\x05Ethernet12"), unit(3, struct.pack("!H", 120)), unit(5, b"leaf7"),
        unit(127, bytes.fromhex("0080c20b") + bytes([0x08, mask])), unit(0, b""),
    ])
    while True:
        sender.send(frame)
        time.sleep(0.5)


if __name__ == "__main__":
    main()
