/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host-code: what a compiler left behind, in a form that pw_code_open() reads.
 * Internal to wasm/host-command.
 */
#ifndef PW_HOST_COMMAND_HOST_CODE_H
#define PW_HOST_COMMAND_HOST_CODE_H

#include <perfwasm/base.h>

/*
 * The `code` of a .conf:
 *   elf     a shared object with a symbol for each function; copied
 *   elf-beside  the same, as ARTIFACT.elf; ENOTSUP where there is none
 *   wazero  a directory with one file of wazero's cache in it; a jitdump
 *
 * wazero's file: "WAZEVO", u8 length and version, u32 n, n x u64 offset of
 * the functions that are not imported, u64 size, that many bytes of code, and
 * more; little-endian.
 */
int host_code_write(const char *form, const char *artifact, const char *to,
		    struct pw_err *err);

#endif
