import { zipOf } from './document-files.ts'

const secondsAt = (minute: number) => Date.UTC(2025, 2, 1, 10, minute) / 1000
const isoAt = (minute: number) => new Date(secondsAt(minute) * 1000).toISOString()

/** A conversation as ChatGPT exports it: a hidden system message, an image, and a regenerated answer. */
export function chatGptConversation(id = 'conversation-1', title = 'Lighthouses'): object {
  const node = (nodeId: string, parent: string | null, children: string[], message: object | null) => [
    nodeId,
    { id: nodeId, parent, children, message },
  ]
  const createMessage = (role: string, minute: number, content: object, more: object = {}) => ({
    id: `message-${minute}`,
    author: { role, name: null, metadata: {} },
    create_time: secondsAt(minute),
    content,
    status: 'finished_successfully',
    recipient: 'all',
    ...more,
  })
  const text = (...parts: string[]) => ({ content_type: 'text', parts })
  const picture = {
    content_type: 'image_asset_pointer',
    asset_pointer: 'file-service://file-AbC123',
    width: 6,
    height: 4,
  }
  return {
    title,
    create_time: secondsAt(0),
    update_time: secondsAt(9),
    conversation_id: id,
    id,
    current_node: 'd',
    mapping: Object.fromEntries([
      node('root', null, ['system'], null),
      node(
        'system',
        'root',
        ['a'],
        createMessage('system', 0, text(''), { metadata: { is_visually_hidden_from_conversation: true } }),
      ),
      node(
        'a',
        'system',
        ['b', 'c'],
        createMessage('user', 1, { content_type: 'multimodal_text', parts: [picture, 'What is this?'] }),
      ),
      node('b', 'a', [], createMessage('assistant', 2, text('A tower.'), { metadata: { model_slug: 'gpt-4o' } })),
      node(
        'c',
        'a',
        ['tool'],
        createMessage('assistant', 3, { content_type: 'code', text: 'look()' }, { recipient: 'python' }),
      ),
      node('tool', 'c', ['d'], createMessage('tool', 4, { content_type: 'execution_output', text: 'seen' })),
      node(
        'd',
        'tool',
        [],
        createMessage('assistant', 5, text('A lighthouse.'), { metadata: { model_slug: 'gpt-4o' } }),
      ),
    ]),
  }
}

/** ZIP export of ChatGPT. */
export const chatGptExport = (picture: Buffer, conversations: object[] = [chatGptConversation()]): Promise<Buffer> =>
  zipOf({
    'conversations.json': JSON.stringify(conversations),
    'user.json': '{"id":"user-1"}',
    'file-AbC123-tower.png': picture,
    'chat.html': '<html></html>',
  })

const code = { id: 'oven', type: 'application/vnd.ant.code', language: 'python' }
const artifact = (input: object) => ({ type: 'tool_use', name: 'artifacts', input })

/** ZIP export of Claude: a regenerated answer, and documents created by tool calls in both branches. */
export const claudeExport = (): Promise<Buffer> =>
  zipOf({
    'users.json': '[]',
    'conversations.json': JSON.stringify([
      {
        uuid: 'claude-1',
        name: 'Bread',
        created_at: isoAt(0),
        updated_at: isoAt(3),
        account: { uuid: 'account-1' },
        current_leaf_message_uuid: 'm3',
        chat_messages: [
          {
            ...{ uuid: 'm1', sender: 'human', text: 'How is bread made?', created_at: isoAt(1) },
            content: [{ type: 'text', text: 'How is bread made?' }],
            attachments: [
              { file_name: 'recipe.txt', file_size: 5, extracted_content: 'Flour and water' },
              { file_name: '', file_size: 5, extracted_content: 'Pasted' },
            ],
            files: [{ file_uuid: 'f1', file_name: 'loaf.png' }],
            parent_message_uuid: '00000000-0000-4000-8000-000000000000',
          },
          {
            ...{ uuid: 'm2', sender: 'assistant', text: 'It is baked.', created_at: isoAt(2) },
            content: [
              { type: 'thinking', thinking: 'They ask about bread.' },
              { type: 'text', text: 'It is baked.' },
              { type: 'tool_use', name: 'web_search', input: { query: 'bread' } },
              { type: 'tool_result', name: 'web_search', content: [{ type: 'text', text: 'found' }] },
              artifact({ command: 'create', ...code, title: 'Oven', content: 'heat(200)\nbake()' }),
            ],
            attachments: [],
            files: [],
            parent_message_uuid: 'm1',
          },
          {
            ...{ uuid: 'm3', sender: 'assistant', text: '', created_at: isoAt(3) },
            content: [
              { type: 'text', text: 'Hotter.' },
              artifact({ command: 'create', ...code, title: 'Oven', content: 'grill(200)' }),
              // `$&` must stay as it is, not stand for the replaced text.
              artifact({ command: 'update', id: 'oven', old_str: '200', new_str: '$&230' }),
              { type: 'tool_use', name: 'create_file', input: { path: 'notes/bread.md', file_text: '# Bread\n' } },
            ],
            attachments: [],
            files: [],
            parent_message_uuid: 'm1',
          },
          {
            ...{ uuid: 'm4', sender: 'human', text: 'Less heat', created_at: isoAt(4), parent_message_uuid: 'm2' },
            content: [{ type: 'text', text: 'Less heat' }],
          },
          {
            ...{ uuid: 'm5', sender: 'assistant', text: '', created_at: isoAt(5), parent_message_uuid: 'm4' },
            content: [artifact({ command: 'update', id: 'oven', old_str: '200', new_str: '180' })],
          },
          // An answer that was stopped during its tool calls.
          {
            ...{ uuid: 'm6', sender: 'assistant', created_at: isoAt(6), parent_message_uuid: 'm4' },
            text: 'They ask for less.\n```\nThis block is not supported on your current device yet.\n```',
            content: [
              { type: 'thinking', thinking: 'They ask for less.' },
              { type: 'tool_use', name: 'web_search', input: { query: 'oven' } },
            ],
          },
        ],
      },
    ]),
  })

/** JSON export of Open WebUI. */
export const openWebUiExport = (picture: Buffer): Buffer =>
  Buffer.from(
    JSON.stringify([
      {
        id: 'open-webui-1',
        user_id: 'user-1',
        title: 'A picture',
        created_at: secondsAt(0),
        updated_at: secondsAt(4),
        archived: true,
        pinned: false,
        folder_id: null,
        meta: { tags: ['kept'] },
        chat: {
          title: 'A picture',
          models: ['llama3'],
          history: {
            currentId: 'three',
            messages: {
              one: {
                ...{ id: 'one', parentId: null, childrenIds: ['two', 'three'], role: 'user', content: 'Look' },
                timestamp: secondsAt(1),
                files: [
                  { type: 'image', url: `data:image/png;base64,${picture.toString('base64')}` },
                  { type: 'image', url: '/api/v1/files/1234/content' },
                  { type: 'file', id: 'f', name: 'notes.pdf', url: 'f' },
                ],
              },
              two: {
                id: 'two',
                parentId: 'one',
                role: 'assistant',
                content: 'No',
                model: 'llama3',
                timestamp: secondsAt(2),
              },
              three: {
                ...{ id: 'three', parentId: 'one', role: 'assistant', model: 'llama3', timestamp: secondsAt(3) },
                content:
                  '<details type="reasoning" done="true" duration="1">\n<summary>Thought</summary>\n&gt; Is 1 &lt; 2?\n&gt; Yes.\n</details>\n' +
                  '<details type="tool_calls" done="true" id="c" name="look" arguments="&quot;{}&quot;" result="&quot;seen&quot;">\n<summary>Tool Executed</summary>\n</details>\n' +
                  'Yes\n<details type="code_interpreter" done="true" output="2">\n<summary>Analyzed</summary>\n```python\n1 + 1\n```\n</details>',
              },
              // Incomplete messages such as Open WebUI itself leaves behind.
              lost: { parentId: 'three', childrenIds: [] },
            },
          },
        },
      },
    ]),
  )

interface LibreChatOptions {
  /** True to export the answers to a message inside it, instead of a flat list. */
  isNested?: boolean
  /** Field with the messages; exports with either are read. */
  key?: 'messages' | 'messagesTree'
}

/** JSON export of a LibreChat conversation: a regenerated answer and a failed one. */
export function libreChatExport({ isNested = false, key = 'messages' }: LibreChatOptions = {}): Buffer {
  const one = {
    ...{ messageId: 'l1', parentMessageId: '00000000-0000-0000-0000-000000000000', text: 'Good morning' },
    ...{ sender: 'User', isCreatedByUser: true, createdAt: isoAt(1) },
    files: [
      { file_id: 'f', filename: 'dawn.png', filepath: '/images/dawn.png', type: 'image/png', width: 6, height: 4 },
    ],
  }
  const two = {
    ...{ messageId: 'l2', parentMessageId: 'l1', text: '', sender: 'GPT', isCreatedByUser: false, createdAt: isoAt(2) },
    model: 'gpt-4o',
    content: [
      { type: 'think', think: 'A greeting.' },
      { type: 'tool_call', tool_call: { id: 'c', name: 'web_search', args: '{}', output: 'found', type: 'tool_call' } },
      { type: 'text', text: { value: 'Good morning to you' } },
    ],
  }
  // Messages imported from other servers have no dates.
  const again = { messageId: 'l3', parentMessageId: 'l1', text: 'Hello', sender: 'GPT', isCreatedByUser: false }
  const failed = { ...again, messageId: 'l4', text: 'Something went wrong', error: true }
  const last = { messageId: 'l5', parentMessageId: 'l2', text: 'Thanks', sender: 'User', isCreatedByUser: true }
  const tree = [{ ...one, children: [{ ...again }, { ...failed }, { ...two, children: [{ ...last, children: [] }] }] }]
  const messages = isNested ? tree : [one, again, failed, two, last]
  return Buffer.from(
    JSON.stringify({
      conversationId: 'libre-1',
      endpoint: 'openAI',
      title: 'Mornings',
      exportAt: 'Sat Mar 01 2025',
      branches: true,
      recursive: isNested,
      options: {},
      [key]: messages,
    }),
  )
}
