;; Source of table-*.dump: a jump table large enough for V8 to make one. The
;; function's blocks are reached through it alone.
(module
  (memory 1)
  (func (export "choose") (param i32) (result i32)
    (block $f
      (block $e
        (block $d
          (block $c
            (block $b
              (block $a
                (br_table $a $b $c $d $e $f $a (local.get 0)))
              (return (i32.rotl (local.get 0) (i32.const 3))))
            (return (i32.mul (local.get 0) (i32.const 3))))
          (return (i32.popcnt (local.get 0))))
        (return (i32.clz (local.get 0))))
      (return (i32.div_u (local.get 0) (i32.const 12345))))
    (i32.load (i32.const 16))))
