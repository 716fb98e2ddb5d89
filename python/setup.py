# SPDX-License-Identifier: BSD-2-Clause
import pathlib
import re

from setuptools import setup

text = pathlib.Path(__file__).resolve().parent.with_name("core").joinpath("wire/iba_version.h").read_text(encoding="utf-8")
setup(
    name="ibproof",
    version=".".join(re.search(rf"define IBA_VERSION_{part} +(\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH")),
    description="InfiniBand and RoCE packets and captures, by libiba and ibdissect",
    license="BSD-2-Clause",
    python_requires=">=3.11",
    packages=["ibproof"],
    package_data={"ibproof": ["py.typed"]},
    setup_requires=["cffi>=1.15"],
    install_requires=["cffi>=1.15"],
    cffi_modules=["build_native.py:ffi"],
)
