/** False on touch devices, where no other window offers files to drag. */
export const canDrop = !matchMedia('(pointer: coarse) and (hover: none)').matches
