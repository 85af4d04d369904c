import { analyticsQuerySchema, analyticsSchema } from '../analytics.ts'
import { activityQuerySchema, activityResponseSchema, dashboardHealthSchema, overviewSchema } from '../insights.ts'
import { memoryLogFiltersSchema, memoryLogsQuerySchema, memoryLogsResponseSchema } from '../memory-logs.ts'
import { routes } from './route.ts'

export const insightsRoutes = routes({
  'GET /dashboard/overview': {
    access: 'user',
    summary: 'Read the four cards of the overview',
    tag: 'Dashboard',
    response: { 200: overviewSchema },
  },
  'GET /dashboard/activity': {
    access: 'user',
    summary: 'Read what the caller did last',
    tag: 'Dashboard',
    query: activityQuerySchema,
    response: { 200: activityResponseSchema },
  },
  'GET /dashboard/health': {
    access: 'user',
    summary: 'Read what works on this server',
    tag: 'Dashboard',
    response: { 200: dashboardHealthSchema },
  },
  'GET /analytics': {
    access: 'analytics',
    summary: 'Read how use and performance changed over a period',
    description: 'Days and hours are those of the time zone that X-Time-Zone names.',
    tag: 'Dashboard',
    query: analyticsQuerySchema,
    response: { 200: analyticsSchema },
    errors: [404],
  },
  'GET /memory/logs': {
    access: 'upload',
    summary: 'Read what the caller asked, added, searched and called',
    description:
      'Newest first. All filters combine; `range` is read in the time zone of the caller. What was not measured, or ' +
      `went with its source, is null. The figures in \`stats\` do not depend on the filters.`,
    tag: 'Dashboard',
    query: memoryLogsQuerySchema,
    response: { 200: memoryLogsResponseSchema },
  },
  'GET /memory/logs/export': {
    access: 'upload',
    bound: 'export',
    summary: 'Export the same as a CSV file',
    description: 'UTF-8, RFC 4180; what a spreadsheet would take for a formula is led by an apostrophe.',
    tag: 'Dashboard',
    query: memoryLogFiltersSchema,
    file: 'text/csv',
  },
})
