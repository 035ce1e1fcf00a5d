// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events by libpfm's names. The library is loaded when a name is first asked
 * for: its tables take 2 MB of memory, and a recorder whose events are all
 * written as numbers does without.
 */
#include "pmu-impl.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib_perf_event.h>

struct pfm {
	void *library;
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_strerror) *strerror;
	__typeof__(pfm_get_os_event_encoding) *encode;
	__typeof__(pfm_get_pmu_info) *pmu_info;
	__typeof__(pfm_get_event_info) *event_info;
	__typeof__(pfm_get_event_next) *event_next;
	__typeof__(pfm_get_event_attr_info) *attr_info;
};

static int load(struct pfm *f, struct pw_err *err)
{
	const struct {
		const char *name;
		void **to;
	} symbols[] = {
		{ "pfm_initialize", (void **)&f->initialize },
		{ "pfm_strerror", (void **)&f->strerror },
		{ "pfm_get_os_event_encoding", (void **)&f->encode },
		{ "pfm_get_pmu_info", (void **)&f->pmu_info },
		{ "pfm_get_event_info", (void **)&f->event_info },
		{ "pfm_get_event_next", (void **)&f->event_next },
		{ "pfm_get_event_attr_info", (void **)&f->attr_info },
	};
	bool whole;

	f->library =
		dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	whole = f->library;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols) && whole;
	     i++) {
		*symbols[i].to = dlsym(f->library, symbols[i].name);
		whole = *symbols[i].to;
	}
	if (whole && f->initialize() == PFM_SUCCESS)
		return 0;
	if (f->library)
		dlclose(f->library);
	return pw_err_set(
		err, ENOENT,
		"names of events need libpfm (Debian: libpfm4), which cannot be loaded; write PMU/event=...,umask=.../ instead");
}

/* --- a name that is not there -------------------------------------------------------- */

/* "EVENT" or "PMU::EVENT:UMASK" to the part that names the event. */
static char *event_part(const char *name)
{
	const char *colons = strstr(name, "::"), *from;

	from = colons ? colons + 2 : name;
	return pw_strndup(from, strcspn(from, ":."));
}

/* As pw_did_you_mean(). */
static char *near_event(const struct pfm *f, const char *name)
{
	char *wanted = event_part(name), *near;
	const char **names = NULL;
	size_t n = 0;
	pfm_pmu_info_t pmu;
	pfm_event_info_t e;

	for (int i = 0; i < PFM_PMU_MAX; i++) {
		memset(&pmu, 0, sizeof(pmu));
		pmu.size = sizeof(pmu);
		if (f->pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS ||
		    !pmu.is_present)
			continue;
		names = pw_realloc(names,
				   (n + (size_t)pmu.nevents) * sizeof(*names) +
					   1);
		for (int at = pmu.first_event, k = 0;
		     at != -1 && k < pmu.nevents; at = f->event_next(at), k++) {
			memset(&e, 0, sizeof(e));
			e.size = sizeof(e);
			if (f->event_info(at, PFM_OS_NONE, &e) == PFM_SUCCESS)
				names[n++] = e.name;
		}
	}
	near = pw_did_you_mean('"', wanted, names, n);
	free(names);
	free(wanted);
	return near;
}

static int no_name(const struct pfm *f, const char *name, int why,
		   struct pw_err *err)
{
	char *near = near_event(f, name);
	int ret = pw_err_set(err, ENOENT,
			     "libpfm finds no event \"%s\" here (%s)%s", name,
			     f->strerror(why), near);

	free(near);
	return ret;
}

/* --- the whole ------------------------------------------------------------------------- */

/* Which device has the type: the cores' unless another is known. */
static int device_of(struct devices *d, uint32_t type, struct pw_err *err)
{
	switch (type) {
	case PERF_TYPE_SOFTWARE:
		return devices_find(d, "software", err);
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return devices_find(d, "core", err);
	default:
		break;
	}
	for (uint32_t i = 0; i < d->n; i++)
		if (d->list[i].type == type)
			return (int)i;
	return devices_find(d, "core", err);
}

static int encode(const struct pfm *f, const char *name,
		  struct pw_pmu_code *out, struct pw_err *err)
{
	struct perf_event_attr attr = { .type = 0 };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	int ret = f->encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);

	if (ret != PFM_SUCCESS)
		return no_name(f, name, ret, err);
	*out = (struct pw_pmu_code){ attr.type, attr.config, attr.config1,
				     attr.config2 };
	return 0;
}

int pw_pmu_encode(const char *name, struct pw_pmu_code *out, struct pw_err *err)
{
	struct pfm f = { 0 };
	int ret = load(&f, err);

	if (ret)
		return ret;
	ret = encode(&f, name, out, err);
	dlclose(f.library);
	return ret;
}

int code_by_name(struct devices *d, const char *name, struct pw_pmu_code *out,
		 struct pw_err *err)
{
	int ret = pw_pmu_encode(name, out, err);

	return ret ? ret : device_of(d, out->type, err);
}

/* --- what the library has ------------------------------------------------------------- */

static bool find_pmu(const struct pfm *f, const char *name, pfm_pmu_info_t *pmu)
{
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		memset(pmu, 0, sizeof(*pmu));
		pmu->size = sizeof(*pmu);
		if (f->pmu_info((pfm_pmu_t)i, pmu) == PFM_SUCCESS &&
		    !strcmp(pmu->name, name))
			return true;
	}
	return false;
}

bool pw_pmu_is_here(const char *pmu)
{
	struct pfm f = { 0 };
	pfm_pmu_info_t info;
	bool is_here;

	if (load(&f, NULL))
		return false;
	is_here = find_pmu(&f, pmu, &info) && info.is_present;
	dlclose(f.library);
	return is_here;
}

static bool has_mask(const struct pfm *f, int event, int n, const char *mask)
{
	pfm_event_attr_info_t attr;

	for (int a = 0; a < n; a++) {
		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		if (f->attr_info(event, a, PFM_OS_NONE, &attr) == PFM_SUCCESS &&
		    !strcmp(attr.name, mask))
			return true;
	}
	return false;
}

/* name: "EVENT", then perhaps ":UMASK". */
static bool is_event(const struct pfm *f, int at, const char *name)
{
	pfm_event_info_t e = { .size = sizeof(e) };
	size_t len = strcspn(name, ":");

	if (f->event_info(at, PFM_OS_NONE, &e) != PFM_SUCCESS ||
	    strlen(e.name) != len || memcmp(e.name, name, len))
		return false;
	return !name[len] || has_mask(f, at, e.nattrs, name + len + 1);
}

bool pw_pmu_knows(const char *pmu, const char *event)
{
	struct pfm f = { 0 };
	pfm_pmu_info_t info;
	bool knows = false;

	if (load(&f, NULL))
		return false;
	if (find_pmu(&f, pmu, &info))
		for (int at = info.first_event; at != -1 && !knows;
		     at = f.event_next(at))
			knows = is_event(&f, at, event);
	dlclose(f.library);
	return knows;
}
