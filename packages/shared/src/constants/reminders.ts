export const recurrenceUnits = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const
