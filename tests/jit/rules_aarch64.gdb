# Steps through each function that rules.c makes on aarch64, by each of its exits, and compares the caller at each instruction.
set confirm off
set pagination off
set height 0
set width 0
set $wrong = 0
set $count = 0
define check_caller
  up
  if $pc != $want_pc || $sp != $want_sp || $x19 != $want_x19 || $x20 != $want_x20 || $x21 != $want_x21 || $x22 != $want_x22 || $x29 != $want_x29
    set $wrong = $wrong + 1
    printf "WRONG:\n"
    bt 3
    info registers x19 x20 x21 x29 sp
  end
  down
  set $count = $count + 1
end
define step_through
  continue
  set $want_pc = $x30
  set $want_sp = $sp
  set $want_x19 = $x19
  set $want_x20 = $x20
  set $want_x21 = $x21
  set $want_x22 = $x22
  set $want_x29 = $x29
  bt 2
  while $pc >= (long)buffer && $pc < (long)buffer + used
    check_caller
    # `blr x1` is stepped over
    if *(unsigned int *)$pc == 0xd63f0020
      nexti
    else
      stepi
    end
  end
end
break ready
continue
set $i = 0
while $i < 6
  eval "break *(char *)made[%d]", $i
  set $i = $i + 1
end
set $i = 0
while $i < 12
  step_through
  set $i = $i + 1
end
printf "%d wrong of %d\n", $wrong, $count
kill
