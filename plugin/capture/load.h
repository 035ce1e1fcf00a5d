/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers at any address, of this machine's byte order or the other. */
#ifndef PLUGIN_CAPTURE_LOAD_H
#define PLUGIN_CAPTURE_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t load16(const uint8_t *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t load32(const uint8_t *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t load64(const uint8_t *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

#endif
