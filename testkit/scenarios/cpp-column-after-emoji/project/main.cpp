int main()
{
    const char *ship = "Aurora";
    return ship[0];
}
