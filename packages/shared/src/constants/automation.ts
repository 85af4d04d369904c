/** Types of scheduled tasks. */
export const taskTypes = ['memory_update', 'classifier_retrain', 'summary_generation', 'model_finetuning'] as const
export type TaskType = (typeof taskTypes)[number]

export const runStatuses = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const
export type RunStatus = (typeof runStatuses)[number]

export const recurrenceUnits = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const
