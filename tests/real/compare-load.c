// SPDX-License-Identifier: GPL-2.0-only
/*
 * A load whose parts are known by name: threads "worker" and, when asked for,
 * "extra" that compute, and one, "ticker", that a timer wakes.
 *   compare-load SECONDS TICK_US WORKERS EXTRAS
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile int is_over;
static long tick_us;

__attribute__((noinline)) static void compute(volatile unsigned *x)
{
	for (int i = 0; i < 200000; i++)
		*x = *x * 1664525u + 1013904223u;
}

static void *worker(void *name)
{
	volatile unsigned x = 1;

	pthread_setname_np(pthread_self(), name);
	while (!is_over) {
		compute(&x);
		usleep(1500);
	}
	return NULL;
}

static void *extra(void *name)
{
	volatile unsigned x = 1;

	pthread_setname_np(pthread_self(), name);
	while (!is_over)
		compute(&x);
	return NULL;
}

static void *ticker(void *name)
{
	pthread_setname_np(pthread_self(), name);
	while (!is_over)
		usleep((useconds_t)tick_us);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;
	int n;

	if (argc != 5)
		return 2;
	tick_us = atol(argv[2]);
	pthread_create(&t, NULL, ticker, "ticker");
	for (n = atoi(argv[3]); n--;)
		pthread_create(&t, NULL, worker, "worker");
	for (n = atoi(argv[4]); n--;)
		pthread_create(&t, NULL, extra, "extra");
	usleep((useconds_t)(atof(argv[1]) * 1e6));
	is_over = 1;
	usleep(20000);
	return 0;
}
