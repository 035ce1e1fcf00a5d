;; A little vector code.
(module
  (memory (export "memory") 1)
  (func (export "_start")
    (v128.store (i32.const 0)
      (i32x4.add (v128.load (i32.const 0)) (v128.const i32x4 1 2 3 4)))))
