/** Effort of a reasoning model. */
export const reasoningEfforts = ['low', 'medium', 'high'] as const

/** Id of the connection configured by the environment. */
export const ENVIRONMENT_CONNECTION = 'environment'

/** Connection name of models that run on this server. */
export const LOCAL_CONNECTION = 'local'
