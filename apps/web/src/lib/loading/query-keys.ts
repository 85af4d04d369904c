/** Prefix of the query keys of all searches in the memory. */
export const memoryKey = ['memory']
