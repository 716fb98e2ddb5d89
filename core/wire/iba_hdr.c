typedef int iba_empty;
