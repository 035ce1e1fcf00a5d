/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Drivers of network cards, asked by ethtool's ioctls: always those of this
 * machine, whatever tree is read.
 */
#ifndef SYSTEM_NICS_H
#define SYSTEM_NICS_H

#include <stddef.h>
#include <stdint.h>

#include <linux/ethtool.h>

/* A socket to ask by, the caller's, or -errno. */
int nics_open(void);
/* Fills a struct of linux/ethtool.h whose cmd is set; -errno. */
int nic_ask(int fd, const char *name, void *what);
/* How many names a set (ETH_SS_STATS) has, or -errno: EOPNOTSUPP for none. */
int nic_count(int fd, const char *name, enum ethtool_stringset set);
/* n of its names, each ETH_GSTRING_LEN long; free()d by the caller. NULL with
 * -errno in *error: EAGAIN when there are not n any more. */
struct ethtool_gstrings *nic_names(int fd, const char *name,
				   enum ethtool_stringset set, uint32_t n,
				   int *error);

/* Room for n numbers, NULL when memory is out; what nic_stats() fills. */
struct ethtool_stats *nic_stats_new(uint32_t n);
void nic_stats_free(struct ethtool_stats *stats, uint32_t n);
/* -errno: EAGAIN when there are not n any more: names have changed, too. */
int nic_stats(int fd, const char *name, struct ethtool_stats *stats,
	      uint32_t n);

/* size_bytes, a multiple of 4, that end where nothing can be written. NULL:
 * memory is out. */
void *nic_room(size_t size_bytes);
void nic_room_free(void *room, size_t size_bytes);

#endif
