/** Whether files can be dragged here: a phone has no other window to drag them from. */
export const canDrop = !matchMedia('(pointer: coarse) and (hover: none)').matches
