// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of C++ and Rust symbols as their source has them. C++ and the older
 * Rust form are read by the C++ runtime library (Itanium C++ ABI, 3.3); a
 * Rust name ends in a hash, which tells a reader nothing.
 */
#include <stdlib.h>
#include <string.h>

#include <perfwasm/code.h>

/* <cxxabi.h> is for C++ only. */
char *__cxa_demangle(const char *name, char *buf, size_t *size, int *status);

/* "::h" and 16 hexadecimal digits at the end. */
static void drop_rust_hash(char *s)
{
	size_t len = strlen(s);
	char *hash = len > 19 ? s + len - 19 : NULL;

	if (hash && !strncmp(hash, "::h", 3) &&
	    strspn(hash + 3, "0123456789abcdef") == 16)
		*hash = 0;
}

char *pw_demangle(const char *name)
{
	int status;
	char *s;

	if (strncmp(name, "_Z", 2))
		return NULL;
	s = __cxa_demangle(name, NULL, NULL, &status);
	if (s)
		drop_rust_hash(s);
	return s;
}
