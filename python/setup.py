"""The wheel carries libpelt.so (from PELT_LIBRARY), so it is of one platform and of every Python 3."""
import os
import shutil

from setuptools import setup
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel


class OfThisPlatform(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


library = os.environ.get("PELT_LIBRARY")
if library:
    shutil.copyfile(library, os.path.join(os.path.dirname(os.path.abspath(__file__)), "pelt", "libpelt.so"))
setup(cmdclass={"bdist_wheel": OfThisPlatform}, distclass=WithLibrary)
