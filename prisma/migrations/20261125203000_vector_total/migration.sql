-- What Prisma cannot say: adds vectors as pgvector adds two, without the list of numbers that its avg and sum make anew for each.
-- Of a direction nothing else is needed: a sum has that of the mean.
CREATE AGGREGATE "vector_total"(vector) (SFUNC = vector_add, STYPE = vector);
