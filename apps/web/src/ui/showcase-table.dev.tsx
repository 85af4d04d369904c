import { MessageSquare, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Badge } from './badge.tsx'
import { Button } from './button.tsx'
import { Card, CardHeader } from './card.tsx'
import { Checkbox } from './checkbox.tsx'
import { IconButton } from './icon-button.tsx'
import { Pagination } from './pagination.tsx'
import { Cell, HeaderCell, Row, RowHeaderCell, type SortDirection, SortHeaderCell, Table } from './table.tsx'
import { TimeText } from './time-text.tsx'

const sessions = [
  {
    id: 1,
    name: 'Trip to Porto',
    agent: 'WeatherAgent',
    messages: 24,
    tokens: 8120,
    state: 'active',
    when: '5 minutes ago',
  },
  {
    id: 2,
    name: 'What the plumber said about the boiler and the two valves',
    agent: null,
    messages: 6,
    tokens: 1904,
    state: 'completed',
    when: '3 hours ago',
  },
  {
    id: 3,
    name: 'Tax papers 2025',
    agent: 'FileAgent',
    messages: 41,
    tokens: 20_377,
    state: 'completed',
    when: '2 days ago',
  },
  { id: 4, name: 'Names for a cat', agent: null, messages: 12, tokens: 2210, state: 'completed', when: '6 days ago' },
]

/** Table with selectable rows and sorting. */
export function Sessions() {
  const [selectedRows, setSelectedRows] = useState<ReadonlySet<number>>(new Set([2]))
  const [direction, setDirection] = useState<SortDirection>('descending')
  const [page, setPage] = useState(2)
  const toggle = (id: number, isChosen: boolean) => {
    const next = new Set(selectedRows)
    if (isChosen) next.add(id)
    else next.delete(id)
    setSelectedRows(next)
  }
  return (
    <Card flush className="overflow-hidden">
      <CardHeader
        title="Chat Management"
        className="p-4 sm:px-5"
        actions={
          <>
            <Button variant="danger" size="sm" icon={<Trash2 />}>
              Delete Selected ({selectedRows.size})
            </Button>
            <Button variant="primary" size="sm" icon={<Plus />}>
              Start New Chat
            </Button>
          </>
        }
      />
      <Table label="Chat sessions" stickyColumns={2} className="border-t border-border">
        <thead>
          <tr>
            <HeaderCell>
              <Checkbox
                label="Select all"
                labelHidden
                checked={selectedRows.size === sessions.length}
                indeterminate={selectedRows.size > 0 && selectedRows.size < sessions.length}
                onCheckedChange={(all) => setSelectedRows(new Set(all ? sessions.map((session) => session.id) : []))}
              />
            </HeaderCell>
            <HeaderCell>Session</HeaderCell>
            <HeaderCell>Agent Used</HeaderCell>
            <HeaderCell align="right">Messages</HeaderCell>
            <HeaderCell align="right">Tokens</HeaderCell>
            <HeaderCell>Status</HeaderCell>
            <SortHeaderCell
              direction={direction}
              onSort={() => setDirection(direction === 'ascending' ? 'descending' : 'ascending')}
            >
              Last Updated
            </SortHeaderCell>
            <HeaderCell align="right">Actions</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <Row key={session.id} selected={selectedRows.has(session.id)}>
              <Cell>
                <Checkbox
                  label={`Select ${session.name}`}
                  labelHidden
                  checked={selectedRows.has(session.id)}
                  onCheckedChange={(isChosen) => toggle(session.id, isChosen)}
                />
              </Cell>
              <RowHeaderCell>
                <span className="block max-w-56 min-w-36 truncate">{session.name}</span>
              </RowHeaderCell>
              <Cell className="text-muted">{session.agent ?? '—'}</Cell>
              <Cell align="right">{session.messages}</Cell>
              <Cell align="right">{session.tokens.toLocaleString('en')}</Cell>
              <Cell>
                <Badge tone={session.state === 'active' ? 'success' : 'neutral'}>{session.state}</Badge>
              </Cell>
              <Cell className="whitespace-nowrap text-muted">
                <TimeText text={session.when} absolute="20 November 2025, 12:30" dateTime="2025-11-20T12:30:00Z" />
              </Cell>
              <Cell align="right">
                <span className="inline-flex gap-1">
                  <IconButton size="sm" name={`View ${session.name}`} icon={<MessageSquare />} />
                  <IconButton size="sm" variant="danger" name={`Delete ${session.name}`} icon={<Trash2 />} />
                </span>
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      <Pagination
        className="border-t border-border p-3 sm:px-5"
        page={page}
        pageCount={7}
        onPageChange={setPage}
        labels={{ navigation: 'Pages', previous: 'Previous', next: 'Next', status: `Page ${page} of 7` }}
      />
    </Card>
  )
}
