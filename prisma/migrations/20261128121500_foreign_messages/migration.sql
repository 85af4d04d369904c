-- Messages that were taken over from another program or person count as text of others. An answer made here has an engine,
-- and a question asked here has such an answer.
UPDATE chat_messages SET read_outside = true WHERE role = 'assistant' AND engine IS NULL AND NOT read_outside;
UPDATE chat_messages q SET read_outside = true
WHERE q.role = 'user' AND NOT EXISTS (
  SELECT FROM chat_messages a WHERE a.parent_id = q.id AND a.role = 'assistant' AND a.engine IS NOT NULL
);
