;; Grows its memory by 16 MiB after 16 MiB, fills it, then runs for ever.
(module
  (memory (export "memory") 1)
  (func (export "_start") (local $from i32)
    (loop $next
      (local.set $from (memory.grow (i32.const 256)))
      (if (i32.ne (local.get $from) (i32.const -1))
        (then
          (memory.fill (i32.shl (local.get $from) (i32.const 16))
            (i32.const 1) (i32.const 0x1000000))))
      (br $next))))
