;; Writes a line, then what it reads from its input, then its arguments.
(module
  (import "wasi_snapshot_preview1" "fd_write"
    (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read"
    (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_sizes_get"
    (func $args_sizes_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_get"
    (func $args_get (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 1024) "hello\n")
  (func $put (param $at i32) (param $n i32)
    (i32.store (i32.const 0) (local.get $at))
    (i32.store (i32.const 4) (local.get $n))
    (if (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))
      (then (unreachable))))
  (func (export "_start")
    (call $put (i32.const 1024) (i32.const 6))
    (i32.store (i32.const 0) (i32.const 2048))
    (i32.store (i32.const 4) (i32.const 100))
    (if (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8))
      (then (unreachable)))
    (call $put (i32.const 2048) (i32.load (i32.const 8)))
    (if (call $args_sizes_get (i32.const 16) (i32.const 20))
      (then (unreachable)))
    (if (call $args_get (i32.const 4096) (i32.const 8192))
      (then (unreachable)))
    ;; all but the program's name, which ends where the next one begins
    (if (i32.gt_u (i32.load (i32.const 16)) (i32.const 1))
      (then
        (call $put (i32.load (i32.const 4100))
          (i32.sub
            (i32.add (i32.const 8192) (i32.load (i32.const 20)))
            (i32.load (i32.const 4100))))))))
