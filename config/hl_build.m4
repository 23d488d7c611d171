# SPDX-License-Identifier: Apache-2.0

# HL_C17: gnu17, whatever the compiler's default.
AC_DEFUN([HL_C17], [CC="$CC -std=gnu17"])

# HL_WARNINGS: --enable-werror; the warnings that the code is kept free of.
AC_DEFUN([HL_WARNINGS], [
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors])])
  HL_WARNING_CFLAGS="-Wall -Wextra -Wshadow -Wundef -Wpointer-arith -Wcast-qual -Wwrite-strings"
  HL_WARNING_CFLAGS="$HL_WARNING_CFLAGS -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition"
  HL_WARNING_CFLAGS="$HL_WARNING_CFLAGS -Wformat=2 -Wvla -Wnull-dereference -Wimplicit-fallthrough"
  AS_IF([test "x$enable_werror" = xyes], [HL_WARNING_CFLAGS="$HL_WARNING_CFLAGS -Werror"])
  AC_SUBST([HL_WARNING_CFLAGS])
])

# HL_SANITIZE: --enable-sanitizer=address,undefined (or thread) for the report,
# the gather and the unit tests.  The preload library and the plugin are loaded
# into processes that have no sanitizer, so they are always built without.
AC_DEFUN([HL_SANITIZE], [
  AC_ARG_ENABLE([sanitizer],
    [AS_HELP_STRING([--enable-sanitizer=LIST], [build the tools and unit tests with -fsanitize=LIST])],
    [], [enable_sanitizer=no])
  AS_IF([test "x$enable_sanitizer" != xno], [
    HL_SANITIZE_CFLAGS="-fsanitize=$enable_sanitizer -fno-sanitize-recover=all -fno-omit-frame-pointer"
    HL_SANITIZE_LDFLAGS="-fsanitize=$enable_sanitizer"
  ])
  AC_SUBST([HL_SANITIZE_CFLAGS])
  AC_SUBST([HL_SANITIZE_LDFLAGS])
])

# HL_ARCH: the processor for which libheapline has its entries in assembly.
AC_DEFUN([HL_ARCH], [
  AC_CANONICAL_HOST
  AS_IF([test "x$host_cpu" != xx86_64],
    [AC_MSG_ERROR([libheapline is for x86-64 only, as yet, and this is $host_cpu: its system calls and its vfork are in assembly (libheapline/sys.h, entry_x86_64.S)])])
])

# HL_SLURM: --with-slurm=PREFIX, --without-slurm, --with-slurm-plugindir=DIR.
AC_DEFUN([HL_SLURM], [
  AC_ARG_WITH([slurm],
    [AS_HELP_STRING([--with-slurm=PREFIX], [where Slurm's headers are; --without-slurm builds no plugin])],
    [], [with_slurm=yes])
  AC_ARG_WITH([slurm-plugindir],
    [AS_HELP_STRING([--with-slurm-plugindir=DIR], [where the plugin goes @<:@LIBDIR/slurm@:>@])],
    [slurmplugindir=$withval], [slurmplugindir='${libdir}/slurm'])
  hl_slurm_release=none
  SLURM_CPPFLAGS=
  AS_IF([test "x$with_slurm" != xno], [
    AS_IF([test "x$with_slurm" != xyes], [SLURM_CPPFLAGS="-I$with_slurm/include"])
    hl_save_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $SLURM_CPPFLAGS"
    AC_CHECK_HEADER([slurm/spank.h], [],
      [AC_MSG_ERROR([slurm/spank.h not found: install Slurm's development files (Debian: libslurm-dev, else slurm-devel), name their prefix with --with-slurm=PREFIX, or build without the plugin with --without-slurm])])
    AC_COMPUTE_INT([hl_slurm_number], [SLURM_VERSION_NUMBER], [#include <slurm/slurm.h>], [hl_slurm_number=0])
    hl_slurm_release=`printf '%d.%02d.%d' $((hl_slurm_number >> 16)) $((hl_slurm_number >> 8 & 255)) $((hl_slurm_number & 255))`
    CPPFLAGS=$hl_save_CPPFLAGS
  ])
  AC_SUBST([SLURM_CPPFLAGS])
  AC_SUBST([slurmplugindir])
  AM_CONDITIONAL([HL_WITH_SLURM], [test "x$with_slurm" != xno])
])

# HL_REPORT: libraries of heapline-report.
AC_DEFUN([HL_REPORT], [
  AC_CHECK_HEADER([csv.h], [], [AC_MSG_ERROR([csv.h not found: install libcsv (Debian: libcsv-dev)])])
  AC_CHECK_LIB([csv], [csv_init], [CSV_LIBS=-lcsv], [AC_MSG_ERROR([libcsv not found: install libcsv-dev])])
  AC_SUBST([CSV_LIBS])
  PKG_CHECK_MODULES([JANSSON], [jansson], [],
    [AC_MSG_ERROR([jansson not found: install jansson (Debian: libjansson-dev)])])
])

# HL_CHECK: libcheck for "make check"; without it only the unit tests are missing.
AC_DEFUN([HL_CHECK], [
  PKG_CHECK_MODULES([CHECK], [check >= 0.15], [hl_have_check=yes], [hl_have_check=no])
  AM_CONDITIONAL([HL_HAVE_CHECK], [test "x$hl_have_check" = xyes])
])

# HL_SUMMARY: what was found and what will be built.
AC_DEFUN([HL_SUMMARY], [
  AC_MSG_NOTICE([
  heapline $PACKAGE_VERSION
    preload library   yes ($host_cpu)
    report            yes
    Slurm plugin      $with_slurm (headers of Slurm $hl_slurm_release), into $slurmplugindir
    unit tests        $hl_have_check
    sanitizers        $enable_sanitizer
])])
