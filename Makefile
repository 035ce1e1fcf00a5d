# perf wasm: one Makefile, no recursion. Each room lists its objects in its
# Build file (obj-y), the libraries it alone may use (pkg-y: pkg-config names,
# ldlibs-y: plain -l) and the programs it holds (prog-y).
# `make help` lists the targets.

V     ?= 0
SAN   ?= 0
O     ?= $(if $(filter 1,$(SAN)),build-san,build)
CC    ?= gcc
AR    ?= ar
DESTDIR ?=
PREFIX  ?= /usr/local

Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),@:,@printf '  %-8s%s\n' $(1) $(2))

ROOMS := $(shell sed 's/\#.*//' tests/lint/layers.txt)

WARN   := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	  -Wvla -Wpointer-arith -Wwrite-strings -Werror=implicit
CFLAGS ?= -O2 -g
PW_CFLAGS := -std=gnu11 -D_GNU_SOURCE -Iinclude -fvisibility=hidden -fPIC \
	     $(WARN) $(CFLAGS)
PW_LDFLAGS := $(LDFLAGS)
ifeq ($(SAN),1)
SANFLAGS := -fsanitize=address,undefined -fno-omit-frame-pointer \
	    -fno-sanitize-recover=undefined
PW_CFLAGS += $(SANFLAGS)
PW_LDFLAGS += $(SANFLAGS)
endif

VERSION := 0.1.0
PW_CFLAGS += -DPW_VERSION='"$(VERSION)"'

.PHONY: all
all:

# --- rooms -----------------------------------------------------------------
# upto(ROOM): ROOM and every room above it, lowest last for the linker.
rev  = $(if $(1),$(call rev,$(wordlist 2,99,$(1))) $(firstword $(1)))
upto = $(if $(1),$(if $(filter $(2),$(firstword $(1))),$(firstword $(1)), \
	 $(firstword $(1)) $(call upto,$(wordlist 2,99,$(1)),$(2))))
archives = $(foreach r,$(call rev,$(call upto,$(ROOMS),$(1))),$(O)/$(r)/room.a)
libs     = $(foreach r,$(call upto,$(ROOMS),$(1)),$(LIBS_$(r)))

define room
obj-y :=
pkg-y :=
ldlibs-y :=
prog-y :=
-include $(1)/Build
OBJS_$(1) := $$(addprefix $(O)/$(1)/,$$(obj-y))
LIBS_$(1) := $$(if $$(pkg-y),$$(shell pkg-config --libs $$(pkg-y))) $$(ldlibs-y)
CFLAGS_$(1) := $$(if $$(pkg-y),$$(shell pkg-config --cflags $$(pkg-y)))
PROGS_$(1) := $$(addprefix $(O)/bin/,$$(prog-y))
PROGS += $$(PROGS_$(1))
$$(OBJS_$(1)) $$(patsubst %,$(O)/$(1)/%.o,$$(prog-y)): PW_CFLAGS += $$(CFLAGS_$(1))
$(O)/$(1)/room.a: $$(OBJS_$(1))
$$(PROGS_$(1)): $(O)/bin/%: $(O)/$(1)/%.o $$(call archives,$(1))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(PW_LDFLAGS) -o $$@ $$^ $$(call libs,$(1)) -ldl -lm -lpthread
endef
$(foreach r,$(ROOMS),$(eval $(call room,$(r))))

$(O)/%/room.a:
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@; $(AR) rcs $@ $^

$(O)/%.o: %.c $(O)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PW_CFLAGS) -MMD -MP -c -o $@ $<

# Rebuild all when the flags change.
$(O)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(PW_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(PW_CFLAGS)' > $@
.PHONY: FORCE
FORCE:

all: $(PROGS)

# --- unit tests ------------------------------------------------------------
# tests/unit/ROOM/test-X.c is one cmocka program, linked with ROOM and the
# rooms above it only. `make unit ROOM=wasm/module` builds and runs one room.
UNIT_SRC := $(wildcard $(addprefix tests/unit/,$(addsuffix /test-*.c,$(or $(ROOM),$(ROOMS)))))
UNIT     := $(patsubst %.c,$(O)/%,$(UNIT_SRC))
define unit
$(O)/tests/unit/$(1)/test-%: $(O)/tests/unit/$(1)/test-%.o $(call archives,$(1))
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(PW_LDFLAGS) -o $$@ $$^ -lcmocka $$(call libs,$(1)) -ldl -lm -lpthread
endef
$(foreach r,$(ROOMS),$(eval $(call unit,$(r))))
.PRECIOUS: $(O)/%.o
.PHONY: unit
unit: $(UNIT)
	$(Q)for t in $(UNIT); do $$t || exit 1; done

.PHONY: clean
clean:
	$(Q)rm -rf build build-san $(O)

-include $(shell find $(O) -name '*.d' 2>/dev/null)
