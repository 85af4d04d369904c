import { cutText } from '@mira/shared/constants/cut-text'
import type { TreeMessage } from './chat-archives.ts'

/** A node of another program's tree; some have no message. */
export interface TreeNode {
  id: string
  parentId: string | null
  message: Omit<TreeMessage, 'id' | 'parentId'> | null
  /** Reasoning in a node of its own, which belongs to the next answer. */
  reasoning?: string | null
}

/** Reasoning of a node and of those before it. A copy of all of it for each node would take quadratic memory. */
interface ReasoningChain {
  text: string
  before: ReasoningChain | null
}

/** Maximum characters of reasoning that an answer takes from the nodes before it; the last ones stay. */
const MAX_REASONING_CHARACTERS = 200_000
/** Maximum characters that all answers take together, for each character of the nodes' reasoning: answers may share a node. */
const MAX_REASONING_GROWTH = 4

interface Tree {
  /** Parents before their children. */
  messages: TreeMessage[]
  currentId: string | null
}

/**
 * Messages of a tree. The children of a node without a message belong to its nearest ancestor that has one, and successive
 * messages of the same role without a branch between them are joined.
 * @param currentNode the end of the displayed branch; null for the newest message.
 */
export function messagesOfTree(nodes: TreeNode[], currentNode: string | null): Tree {
  // The last of the nodes with the same id replaces the others.
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const children = childrenOf(byId)
  const messages: TreeMessage[] = []
  /** Message by node; that of the nearest ancestor for a node without one, null when there's none. */
  const messageByNode = new Map<string, TreeMessage | null>()
  /** Reasoning up to a node that isn't part of an answer yet. */
  const reasoningByNode = new Map<string | null, ReasoningChain | null>()
  let remainingCharacters =
    MAX_REASONING_GROWTH * nodes.reduce((sum, { reasoning }) => sum + (reasoning?.length ?? 0), 0)
  /** Nodes without a message at or below a branch, whose replies are alternatives, too. */
  const branchedNodes = new Set<string | null>()
  const pending = [...(children.get(null) ?? [])].reverse()
  while (pending.length > 0) {
    const node = pending.pop() as TreeNode
    const parent = node.parentId === null ? null : (messageByNode.get(node.parentId) ?? null)
    const isOnlyChild = (children.get(node.parentId)?.length ?? 0) === 1 && !branchedNodes.has(node.parentId)
    if (node.message === null && !isOnlyChild) branchedNodes.add(node.id)
    const before = reasoningByNode.get(node.parentId) ?? null
    const chain = node.reasoning ? { text: node.reasoning, before } : before
    if (node.message?.role === 'assistant' && chain !== null) {
      const reasoning = endOfChain(chain, Math.min(MAX_REASONING_CHARACTERS, remainingCharacters))
      remainingCharacters -= reasoning?.length ?? 0
      node.message.reasoning = joined(reasoning, node.message.reasoning)
    }
    reasoningByNode.set(node.id, node.message === null ? chain : null)
    messageByNode.set(node.id, addMessage(node, { parent, isOnlyChild, messages }))
    for (const child of (children.get(node.id) ?? []).toReversed()) pending.push(child)
  }
  const currentMessage = currentNode === null ? null : (messageByNode.get(currentNode) ?? null)
  return { messages, currentId: (currentMessage ?? endOf(messages, newestOf(messages)))?.id ?? null }
}

/** Last texts of a chain, joined; null when there's no space for any. A single text that's too long is cut. */
function endOfChain(chain: ReasoningChain, maxCharacters: number): string | null {
  const texts: string[] = []
  let remainingCharacters = maxCharacters
  for (let link: ReasoningChain | null = chain; link !== null; link = link.before) {
    if (link.text.length > remainingCharacters) {
      if (texts.length === 0) texts.push(cutText(link.text, Math.max(0, remainingCharacters)))
      break
    }
    texts.push(link.text)
    remainingCharacters -= link.text.length
  }
  return texts.reverse().join('\n\n') || null
}

/** End of the branch through a message, along the last replies: dates may be equal, or not in the order of the messages. */
function endOf(messages: TreeMessage[], start: TreeMessage | null): TreeMessage | null {
  const lastReplies = new Map(messages.map((message) => [message.parentId, message]))
  let end = start
  for (let reply = start; reply !== null; reply = lastReplies.get(reply.id) ?? null) end = reply
  return end
}

const joined = (first: string | null, second: string | null): string | null =>
  first && second ? `${first}\n\n${second}` : first || second || null

/** Newest message. A message without a date counts as old as its parent. */
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

function addMessage(
  { id, message }: TreeNode,
  { parent, isOnlyChild, messages }: { parent: TreeMessage | null; isOnlyChild: boolean; messages: TreeMessage[] },
): TreeMessage | null {
  if (message === null) return parent
  if (parent !== null && isOnlyChild && parent.role === message.role) {
    // A join would copy the whole text each time.
    parent.content = joined(parent.content, message.content) ?? ''
    parent.reasoning = joined(parent.reasoning, message.reasoning)
    parent.model ??= message.model
    for (const picture of message.pictures) parent.pictures.push(picture)
    return parent
  }
  const added = { ...message, id, parentId: parent?.id ?? null }
  messages.push(added)
  return added
}

/** Children by their parent's id. A node whose parent is missing becomes a root, and so does one node of each cycle. */
function childrenOf(byId: Map<string, TreeNode>): Map<string | null, TreeNode[]> {
  const reached = new Set<string>()
  for (const start of byId.values()) {
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
  for (const node of byId.values()) {
    const siblings = children.get(node.parentId)
    if (siblings === undefined) children.set(node.parentId, [node])
    else siblings.push(node)
  }
  return children
}
