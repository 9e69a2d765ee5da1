/* Between a run and the system: counts the calls on files below $FAIL_BELOW, and lets one of them fail.
     FAIL_AT    which one, from 1; 0 for none
     FAIL_HOW   an errno: the call is not made; -errno: it is made, and reported as failed; "short": it reads or writes half of the bytes;
                "kill": the process is killed before it
     FAIL_LOG   a file that gets the name of each call and its path */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_int calls;

/* The folder itself, or something in it. */
static int is_below(const char *path) {
  const char *below = getenv("FAIL_BELOW");
  if (below == NULL || strncmp(path, below, strlen(below)) != 0) return 0;
  return path[strlen(below)] == '/' || path[strlen(below)] == '\0';
}

/* Logs a call. Returns how it is to fail; NULL where it is not. */
static const char *fault(const char *name, const char *path) {
  if (path == NULL || !is_below(path)) return NULL;
  const char *log = getenv("FAIL_LOG");
  if (log != NULL) {
    FILE *file = fopen(log, "a");
    fprintf(file, "%s %s\n", name, path + strlen(getenv("FAIL_BELOW")));
    fclose(file);
  }
  return atomic_fetch_add(&calls, 1) + 1 == atoi(getenv("FAIL_AT")) ? getenv("FAIL_HOW") : NULL;
}

static const char *fault_of(const char *name, int descriptor) {
  char link[64], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  if (readlink(link, path, sizeof path - 1) < 0) return NULL;
  return fault(name, path);
}

static int is_short(const char *how) { return how != NULL && strcmp(how, "short") == 0; }

/* Before a call: 1 where it is not to be made. */
static int fails_before(const char *how) {
  if (how == NULL || is_short(how) || how[0] == '-') return 0;
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  errno = atoi(how);
  return 1;
}

/* After a call: its result, or a failure. */
static ssize_t failed_after(const char *how, ssize_t result) {
  if (how == NULL || how[0] != '-') return result;
  errno = atoi(how + 1);
  return -1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name, parameters, ...)                                                    \
  int name parameters {                                                                \
    va_list list;                                                                      \
    va_start(list, flags);                                                             \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;     \
    va_end(list);                                                                      \
    return fails_before(fault("open", path)) ? -1 : NEXT(name)(__VA_ARGS__, mode);     \
  }

OPEN(open, (const char *path, int flags, ...), path, flags)
OPEN(open64, (const char *path, int flags, ...), path, flags)
OPEN(openat, (int folder, const char *path, int flags, ...), folder, path, flags)
OPEN(openat64, (int folder, const char *path, int flags, ...), folder, path, flags)

#define ON_PATH(name, kind, parameters, ...)                                           \
  int name parameters {                                                                \
    const char *how = fault(kind, path);                                               \
    return fails_before(how) ? -1 : (int)failed_after(how, NEXT(name)(__VA_ARGS__));   \
  }

ON_PATH(rename, "rename", (const char *path, const char *to), path, to)
ON_PATH(link, "link", (const char *path, const char *to), path, to)
ON_PATH(unlink, "unlink", (const char *path), path)
ON_PATH(rmdir, "rmdir", (const char *path), path)
ON_PATH(mkdir, "mkdir", (const char *path, mode_t mode), path, mode)
ON_PATH(chmod, "chmod", (const char *path, mode_t mode), path, mode)

char *mkdtemp(char *path) {
  return fails_before(fault("mkdir", path)) ? NULL : NEXT(mkdtemp)(path);
}

#define ON_DESCRIPTOR(name, kind, parameters, ...)                                     \
  int name parameters {                                                                \
    const char *how = fault_of(kind, descriptor);                                      \
    return fails_before(how) ? -1 : (int)failed_after(how, NEXT(name)(__VA_ARGS__));   \
  }

ON_DESCRIPTOR(fsync, "fsync", (int descriptor), descriptor)
ON_DESCRIPTOR(fdatasync, "fsync", (int descriptor), descriptor)
ON_DESCRIPTOR(ftruncate, "ftruncate", (int descriptor, off_t size), descriptor, size)
ON_DESCRIPTOR(ftruncate64, "ftruncate", (int descriptor, off64_t size), descriptor, size)
ON_DESCRIPTOR(fchmod, "chmod", (int descriptor, mode_t mode), descriptor, mode)

int close(int descriptor) {
  const char *how = fault_of("close", descriptor);
  fails_before(how);
  int result = NEXT(close)(descriptor);
  /* The descriptor is gone even where close fails (close(2)). */
  if (how == NULL) return result;
  errno = abs(atoi(how));
  return -1;
}

#define TRANSFER(name, kind, parameters, ...)                                          \
  ssize_t name parameters {                                                            \
    const char *how = fault_of(kind, descriptor);                                      \
    if (is_short(how)) size = (size + 1) / 2;                                          \
    return fails_before(how) ? -1 : failed_after(how, NEXT(name)(__VA_ARGS__));        \
  }

TRANSFER(read, "read", (int descriptor, void *bytes, size_t size), descriptor, bytes, size)
TRANSFER(pread, "read", (int descriptor, void *bytes, size_t size, off_t at), descriptor, bytes, size, at)
TRANSFER(pread64, "read", (int descriptor, void *bytes, size_t size, off64_t at), descriptor, bytes, size, at)
TRANSFER(write, "write", (int descriptor, const void *bytes, size_t size), descriptor, bytes, size)
TRANSFER(pwrite, "write", (int descriptor, const void *bytes, size_t size, off_t at), descriptor, bytes, size, at)
TRANSFER(pwrite64, "write", (int descriptor, const void *bytes, size_t size, off64_t at), descriptor, bytes, size, at)

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  const char *how = fault_of("write", descriptor);
  if (fails_before(how)) return -1;
  if (!is_short(how)) return failed_after(how, NEXT(writev)(descriptor, parts, count));
  struct iovec half = {parts[0].iov_base, (parts[0].iov_len + 1) / 2};
  return NEXT(writev)(descriptor, &half, 1);
}
