/** What `npm start` and the image give the server's process beside the variables of a person. */
export const STARTED_WITH = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
  NODE_OPTIONS: '--max-semi-space-size=4',
}
