import { queryOptions } from '@tanstack/react-query'
import { fetchPrompts } from '../../../api/prompts.ts'

/** The saved prompts of the person, for the settings and for the composer. */
export const promptsQuery = queryOptions({ queryKey: ['prompts'], queryFn: ({ signal }) => fetchPrompts(signal) })
