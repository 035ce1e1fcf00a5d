/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * visible: names come from modules, and a module may name a function with
 * terminal escape sequences, with bytes that are no UTF-8, or with characters
 * that turn the direction of a line. Here they become harmless text.
 */
#ifndef PW_REPORT_VISIBLE_H
#define PW_REPORT_VISIBLE_H

#include <perfwasm/base.h>

/* Decodes one character of n > 0 bytes (Unicode 15, table 3-7); gives its
 * length, or 0 when the bytes begin none. */
int utf8_next(const char *s, size_t n, uint32_t *cp);

/* Appends s for a terminal or a bug report: each byte of a control, format
 * or direction character and of what is no UTF-8 as \xNN. */
void visible_add(struct pw_buf *out, const char *s);

/* Appends s as UTF-8: each byte that is none as \xNN, all else as it is. */
void utf8_add(struct pw_buf *out, const char *s);

/* Columns that visible text takes; the locale's LC_CTYPE decides. */
int visible_width(const char *s);

#endif
