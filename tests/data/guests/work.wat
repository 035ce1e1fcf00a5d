;; Some tens of milliseconds of work that no compiler removes.
(module
  (memory (export "memory") 1)
  (func (export "_start") (local $n i32) (local $x i32)
    (local.set $n (i32.const 20000000))
    (loop $next
      (local.set $x
        (i32.rotl
          (i32.add (i32.mul (local.get $x) (i32.const 0x9e3779b1)) (local.get $n))
          (i32.const 13)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (i32.store (i32.const 0) (local.get $x))))
