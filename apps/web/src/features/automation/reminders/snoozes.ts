/** For how long a reminder can be put off, and the text that says so. */
export const snoozes = [
  { minutes: 10, label: 'snooze10' },
  { minutes: 60, label: 'snooze60' },
  { minutes: 24 * 60, label: 'tomorrow' },
] as const
