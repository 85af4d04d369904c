import type { TreeMessage } from './chat-archives.ts'

/** A node of another program's tree; some have no message. */
export interface TreeNode {
  id: string
  parentId: string | null
  message: Omit<TreeMessage, 'id' | 'parentId'> | null
}

interface Tree {
  /** Parents before their children. */
  messages: TreeMessage[]
  currentId: string | null
}

/**
 * The messages of a tree: what hangs on a node without a message hangs on the next one above that has one, and what one
 * side said in several messages without a branch between is one message.
 * @param currentNode the end of the branch that was shown; the newest message when it is not known.
 */
export function messagesOfTree(nodes: TreeNode[], currentNode: string | null): Tree {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const children = childrenOf(nodes, byId)
  const messages: TreeMessage[] = []
  /** Message of each node. */
  const standsFor = new Map<string, TreeMessage | null>()
  const pending = [...(children.get(null) ?? [])].reverse()
  while (pending.length > 0) {
    const node = pending.pop() as TreeNode
    const above = node.parentId === null ? null : (standsFor.get(node.parentId) ?? null)
    const isOnly = (children.get(node.parentId)?.length ?? 0) === 1
    standsFor.set(node.id, place(node, { above, isOnly, messages }))
    pending.push(...[...(children.get(node.id) ?? [])].reverse())
  }
  const currentMessage = currentNode === null ? null : (standsFor.get(currentNode) ?? null)
  return { messages, currentId: (currentMessage ?? newestOf(messages))?.id ?? null }
}

/** One without a date is as old as the one it follows. */
function newestOf(messages: TreeMessage[]): TreeMessage | null {
  const dates = new Map<string, string>()
  let newest: { message: TreeMessage; date: string } | null = null
  for (const message of messages) {
    const date = message.createdAt ?? dates.get(message.parentId ?? '') ?? ''
    dates.set(message.id, date)
    if (newest === null || date >= newest.date) newest = { message, date }
  }
  return newest?.message ?? null
}

function place(
  { id, message }: TreeNode,
  { above, isOnly, messages }: { above: TreeMessage | null; isOnly: boolean; messages: TreeMessage[] },
): TreeMessage | null {
  if (message === null) return above
  if (above !== null && isOnly && above.role === message.role) {
    above.content = [above.content, message.content].filter((text) => text !== '').join('\n\n')
    above.reasoning = [above.reasoning, message.reasoning].filter((text) => text !== null).join('\n\n') || null
    above.model ??= message.model
    above.pictures.push(...message.pictures)
    return above
  }
  const placed = { ...message, id, parentId: above?.id ?? null }
  messages.push(placed)
  return placed
}

/** By parent; nodes with a missing parent, or in a cycle, become roots. */
function childrenOf(nodes: TreeNode[], byId: Map<string, TreeNode>): Map<string | null, TreeNode[]> {
  const reached = new Set<string>()
  for (const start of nodes) {
    const path = new Set<string>()
    let node: TreeNode | undefined = start
    while (node !== undefined && !reached.has(node.id)) {
      if (path.has(node.id)) {
        node.parentId = null
        break
      }
      path.add(node.id)
      if (node.parentId !== null && !byId.has(node.parentId)) node.parentId = null
      node = node.parentId === null ? undefined : byId.get(node.parentId)
    }
    for (const id of path) reached.add(id)
  }
  const children = new Map<string | null, TreeNode[]>()
  // two nodes of the same name are one
  for (const node of byId.values()) {
    const siblings = children.get(node.parentId)
    if (siblings === undefined) children.set(node.parentId, [node])
    else siblings.push(node)
  }
  return children
}
