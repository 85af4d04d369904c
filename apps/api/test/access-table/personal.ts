import type { AccessLines } from './access-line.ts'

/** A user's other routes: agents, reminders, imports, settings, figures. */
export const personalRoutes: AccessLines = {
  'GET /api/me/summaries': { access: 'user' },
  'GET /api/me/mcp-servers': { access: 'agents' },
  'POST /api/me/mcp-servers': { access: 'agents' },
  'PATCH /api/me/mcp-servers/:id': {
    access: 'agents',
    foreign: ({ mcpServer }) => [{ path: `/api/me/mcp-servers/${mcpServer}`, body: { enabled: false } }],
  },
  'DELETE /api/me/mcp-servers/:id': {
    access: 'agents',
    foreign: ({ mcpServer }) => [{ path: `/api/me/mcp-servers/${mcpServer}` }],
  },
  'POST /api/me/mcp-servers/:id/test': {
    access: 'agents',
    foreign: ({ mcpServer }) => [{ path: `/api/me/mcp-servers/${mcpServer}/test` }],
  },
  'GET /api/me/hooks': { access: 'user' },
  'POST /api/me/hooks': { access: 'user' },
  'DELETE /api/me/hooks/:id': { access: 'user', foreign: ({ hook }) => [{ path: `/api/me/hooks/${hook}` }] },
  'POST /api/me/hooks/:id/test': { access: 'user', foreign: ({ hook }) => [{ path: `/api/me/hooks/${hook}/test` }] },
  'GET /api/me/hooks/:id/deliveries': {
    access: 'user',
    foreign: ({ hook }) => [{ path: `/api/me/hooks/${hook}/deliveries` }],
  },
  'POST /api/imports': { access: 'user' },
  'GET /api/imports': { access: 'user' },
  'GET /api/imports/:id': { access: 'user', foreign: ({ import: id }) => [{ path: `/api/imports/${id}` }] },
  'POST /api/imports/:id/start': {
    access: 'user',
    foreign: ({ import: id }) => [{ path: `/api/imports/${id}/start` }],
  },
  'POST /api/imports/:id/source': {
    access: 'user',
    foreign: ({ import: id }) => [{ path: `/api/imports/${id}/source`, body: { source: 'claude' } }],
  },
  'DELETE /api/imports/:id': { access: 'user', foreign: ({ import: id }) => [{ path: `/api/imports/${id}` }] },
  'GET /api/me/storage': { access: 'user' },
  'GET /api/me/preferences': { access: 'user' },
  'PATCH /api/me/preferences': { access: 'user' },
  'GET /api/events': { access: 'user' },
  'GET /api/notifications': { access: 'user' },
  'POST /api/notifications/read': { access: 'user' },
  'POST /api/notifications/shown': { access: 'user' },
  'GET /api/reminders': { access: 'agents' },
  'POST /api/reminders': { access: 'agents' },
  'PATCH /api/reminders/:id': {
    access: 'agents',
    foreign: ({ reminder }) => [{ path: `/api/reminders/${reminder}`, body: { text: 'Mine now' } }],
  },
  'DELETE /api/reminders/:id': {
    access: 'agents',
    foreign: ({ reminder }) => [{ path: `/api/reminders/${reminder}` }],
  },
  'POST /api/reminders/:id/snooze': {
    access: 'agents',
    foreign: ({ reminder }) => [{ path: `/api/reminders/${reminder}/snooze`, body: { minutes: 5 } }],
  },
  'POST /api/reminders/:id/complete': {
    access: 'agents',
    foreign: ({ reminder }) => [{ path: `/api/reminders/${reminder}/complete` }],
  },
  'GET /api/push/key': { access: 'user' },
  'GET /api/push/subscriptions': { access: 'user' },
  'POST /api/push/subscriptions': { access: 'user' },
  'DELETE /api/push/subscriptions': { access: 'user' },
  'GET /api/agents/available': { access: 'agents' },
  'GET /api/agents/status': { access: 'admin' },
  'GET /api/agents/analytics': { access: 'agents' },
  'POST /api/agents/ask': { access: 'agents' },
  'POST /api/agents/:name/run': {
    access: 'agents',
    foreign: () => [{ path: '/api/agents/NobodysAgent/run', body: { input: '1 + 1' } }],
  },
  'GET /api/agents/:name/runs': {
    access: 'agents',
    foreign: () => [
      { path: '/api/agents/NobodysAgent/runs' },
      { path: '/api/agents/CalculatorAgent/runs', status: 200, response: { runs: [], next_cursor: null } },
    ],
  },
  'DELETE /api/agents/:name/runs': {
    access: 'agents',
    foreign: () => [{ path: '/api/agents/CalculatorAgent/runs', status: 200, response: { deleted: 0 } }],
  },
  'DELETE /api/agents/runs/:id': {
    access: 'agents',
    foreign: ({ agentRun }) => [{ path: `/api/agents/runs/${agentRun}` }],
  },
  'GET /api/me/instructions': { access: 'user' },
  'PATCH /api/me/instructions': { access: 'user' },
  'GET /api/me/facts': { access: 'user' },
  'POST /api/me/facts': { access: 'user' },
  'PATCH /api/me/facts/:id': {
    access: 'user',
    foreign: ({ fact }) => [{ path: `/api/me/facts/${fact}`, body: { text: 'Mine now' } }],
  },
  'DELETE /api/me/facts/:id': {
    access: 'user',
    foreign: ({ fact }) => [{ path: `/api/me/facts/${fact}` }],
  },
  'POST /api/me/export': { access: 'user' },
  'GET /api/me/export': { access: 'user' },
  'DELETE /api/me/data': { access: 'user' },
  'GET /api/dashboard/overview': { access: 'user' },
  'GET /api/dashboard/activity': { access: 'user' },
  'GET /api/dashboard/health': { access: 'user' },
  'GET /api/analytics': { access: 'analytics' },
}
