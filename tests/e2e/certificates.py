# SPDX-License-Identifier: Apache-2.0

"""A certificate authority of the test's own, and what it signs for loopback."""

import os
import subprocess

EXTENSIONS = "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n"


def openssl(folder, *words):
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def write_certificates(folder):
    """ca.crt, and tls.crt with tls.key as controller-runtime looks for them."""
    os.makedirs(folder)
    new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl(folder, "req", "-x509", *new_key, "-days", "2", "-subj", "/CN=test", "-keyout", "ca.key", "-out", "ca.crt")
    openssl(folder, "req", *new_key, "-subj", "/CN=127.0.0.1", "-keyout", "tls.key", "-out", "tls.csr")
    with open(os.path.join(folder, "extensions"), "w", encoding="utf-8") as file:
        file.write(EXTENSIONS)
    signed_by = ("-CA", "ca.crt", "-CAkey", "ca.key", "-set_serial", "1")
    sign = ("-days", "2", "-extfile", "extensions", "-in", "tls.csr", "-out", "tls.crt")
    openssl(folder, "x509", "-req", *signed_by, *sign)
