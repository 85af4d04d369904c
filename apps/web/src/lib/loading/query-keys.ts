/** The beginning of the keys of everything that's searched for in the memory. */
export const memoryKey = ['memory']
